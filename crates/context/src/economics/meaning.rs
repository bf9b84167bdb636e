//! What each number of the ledger means, for people. No number is shown that is not explained here.

/// Every figure of the ledger with one sentence about it, in the order they are shown.
pub const MEANINGS: &[(&str, &str)] = &[
    (
        "discovery_tokens",
        "Spent on finding out what is known: reads of the index and the timeline, and lists of search results.",
    ),
    ("read_tokens", "Spent on memories at full length: those read on demand and those handed out whole."),
    ("ratio", "Discovery for each token read; the lower the better. 0 until something was read."),
    (
        "savings_vs_full_load",
        "How much less was spent than loading the whole store once a session, in percent. Negative when that had been \
         cheaper, 0% while the size of the store is not known.",
    ),
    ("savings_percent", "The same as a number."),
    ("injected_tokens", "Handed out unasked: the block a session begins with, and what later prompts added."),
    ("memories_cited", "Memories an answer said it applied."),
    ("tasks", "Tasks that were done."),
    ("layer1_loads", "Reads of the index of topics."),
    ("layer1_tokens", "What they cost."),
    ("layer2_loads", "Reads of the timeline."),
    ("layer2_tokens_scanned", "What they handed out."),
    ("layer2_tokens_available", "How long the timeline was in all, summed over the reads."),
    ("layer3_loads", "Memories read in full on demand."),
    ("layer3_tokens", "What they cost."),
    ("searches", "Searches that answered with a list."),
    ("search_tokens", "What the lists cost."),
    ("cache_hits", "Requests whose answer had been fetched ahead."),
    ("cache_misses", "Requests whose answer had not."),
    ("traditional_approach_tokens", "What loading the whole store would have cost."),
    (
        "progressive_approach_tokens",
        "All that memory put into the context: discovery, full reads and what was handed out unasked.",
    ),
    ("tokens_saved", "The first less the second; negative for a loss."),
    ("avoided_reading_tokens", "Files that did not have to be read again, as measured; 0 where nobody measured."),
    ("net_tokens_saved", "That, less all that memory cost: the saving that counts. Negative for a loss."),
    ("savings_vs_rereading", "The net saving in percent of what would have been read again. 0% where nobody measured."),
    ("day", "A day in UTC; those on which nothing happened are left out."),
    ("sessions", "Sessions that were heard of on that day."),
    ("spent_tokens", "All that memory put into the context that day."),
    (
        "saved_vs_full_load",
        "What loading the whole store would have cost the sessions that began that day, less what was spent. Negative for a \
         loss.",
    ),
    ("saved_vs_rereading", "What did not have to be read again, less what was spent. Negative for a loss."),
    ("given", "Memories handed out unasked."),
    ("cited", "Memories an answer said it applied."),
    (
        "ignored",
        "Memories that were handed out in a session and not applied until its end, where its answers are heard.",
    ),
    ("prefetch_hits", "Contexts that stood ready when they were asked for."),
    ("prefetch_misses", "Contexts that did not."),
    (
        "errors_met",
        "Errors that a session met and of which a fix or an earlier occurrence was known; each once a session.",
    ),
    ("errors_answered", "Those of them where that was said."),
];
