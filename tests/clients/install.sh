# The real Claude Code and the real Codex from npm, for the tests that need them; sourced, not run.
# CLIENTS names the folder where they are kept, outside of the checkout.

claude_version=2.1.325
codex_version=0.166.0

# install_agents FOLDER: sets `claude` and `codex`; answers with a reason in `why` when they cannot be had.
install_agents() {
  local folder=$1/agents-$claude_version-$codex_version
  command -v npm > /dev/null || { why='npm is not installed'; return 1; }
  if [ ! -d "$folder" ]; then
    mkdir -p "$1" 2> /dev/null || { why="nothing can be kept in $1"; return 1; }
    # Under another name until it is whole: what was cut off is not taken for the thing.
    local unfinished
    unfinished=$(mktemp -d "$1/unfinished.XXXXXX")
    if ! timeout 90 npm install --silent --no-save --no-audit --no-fund --fetch-retries=1 --prefix "$unfinished" \
      "@anthropic-ai/claude-code@$claude_version" "@openai/codex@$codex_version" > "$unfinished/npm.log" 2>&1; then
      rm -rf "$unfinished"
      why='npm cannot reach its registry, or cannot install them here'
      return 1
    fi
    mv "$unfinished" "$folder"
  fi
  # npm may leave out install scripts; the programs themselves are in the packages of the platform.
  claude=$(find "$folder/node_modules/@anthropic-ai" -path '*claude-code-*/claude' -type f | head -n 1)
  codex=$(find "$folder/node_modules/@openai" -name codex -type f -size +1M | head -n 1)
  [ -n "$claude" ] || claude=$folder/node_modules/.bin/claude
  [ -n "$codex" ] || codex=$folder/node_modules/.bin/codex
  local program
  for program in "$claude" "$codex"; do
    timeout 60 "$program" --version > /dev/null 2>&1 || { why='they do not run on this machine'; return 1; }
  done
}
