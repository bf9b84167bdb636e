"""Makes tests/data/embed/{bert,roberta}: two tiny encoders of random weights, and what transformers computes with them.

They share nothing with any trained model; they only have its form."""

import argparse
import json
import pathlib

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, RobertaConfig, RobertaModel

TEXTS = [
    "",
    "a memory",
    "The token is rotated on every refresh.",
    "error[E0382]: borrow of moved value: `config`",
    "naïve café, 日本 🚀 it's",
    "  spaces  and\ttabs ",
    "a very long text that goes on and on " * 20,
]
SIZES = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, initializer_range=0.3)
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORDS = "the memory token is rotated on every error value config and text goes long very moved of it borrow".split()


def bert():
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = special + list(LETTERS) + ["##" + letter for letter in LETTERS] + list(".,:'[]`") + WORDS
    tokenizer = Tokenizer(models.WordPiece({piece: id for id, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    # As many published files do, this one cuts and fills in a way of its own, which nobody is to follow.
    tokenizer.enable_truncation(8)
    tokenizer.enable_padding(length=8)
    config = BertConfig(vocab_size=len(pieces), max_position_embeddings=40, hidden_act="gelu", **SIZES)
    return tokenizer, BertModel(config, add_pooling_layer=False), "", 32


def roberta():
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(sorted(WORDS) * 3 + [" " + word for word in sorted(WORDS)] * 3, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    size = tokenizer.get_vocab_size()
    config = RobertaConfig(
        vocab_size=size, max_position_embeddings=42, type_vocab_size=1, pad_token_id=1, hidden_act="gelu_new", **SIZES
    )
    model = RobertaModel(config, add_pooling_layer=False)
    # Halves in the file; computed with what the halves are worth.
    return tokenizer, model.half().float(), "roberta.", None


@torch.inference_mode()
def expect(tokenizer, model, text, most_tokens):
    tokenizer.no_padding()
    tokenizer.enable_truncation(most_tokens)
    states = model.eval()(torch.tensor([tokenizer.encode(text).ids])).last_hidden_state[0]
    pooled = {"mean": states.mean(0), "cls": states[0], "max": states.max(0).values}
    return {mode: torch.nn.functional.normalize(vector, dim=0).tolist() for mode, vector in pooled.items()}


def write(out, tokenizer, model, prefix, most_tokens):
    out.mkdir(parents=True, exist_ok=True)
    save = lambda name, value: (out / name).write_text(json.dumps(value, indent=1) + "\n", encoding="utf8")
    tokenizer.save(str(out / "tokenizer.json"), pretty=False)
    number = torch.float16 if prefix else torch.float32
    tensors = {prefix + name: tensor.to(number).contiguous() for name, tensor in model.state_dict().items()}
    save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
    config = model.config.to_dict()
    kept = ["model_type", "vocab_size", "max_position_embeddings", "type_vocab_size", "pad_token_id", "hidden_act"]
    save("config.json", {name: config[name] for name in [*kept, "layer_norm_eps", *SIZES]})
    if most_tokens:
        save("sentence_bert_config.json", {"max_seq_length": most_tokens, "do_lower_case": False})
    cases = [{"text": text, **expect(tokenizer, model, text, most_tokens or 40)} for text in TEXTS]
    (out / "expected.json").write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n", encoding="utf8")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", type=pathlib.Path, default="tests/data/embed")
    arguments = arguments.parse_args()
    for make in (bert, roberta):
        torch.manual_seed(7)
        write(arguments.out / make.__name__, *make())


if __name__ == "__main__":
    main()
