// lokid for OpenCode, written by `lokid hooks install opencode`; `lokid hooks uninstall opencode` takes it away.
// It tells `lokid hook` what happens and hands on what that answers. It never throws and never waits long.
import { spawn } from "node:child_process"

const PROGRAM = "lokid"
const PATIENCE_MS = 2000

/** What `lokid hook` has to say about an event: a text for the model, or nothing. */
function hook(event, input) {
  return new Promise((resolve) => {
    let answer = ""
    const done = () => {
      try {
        resolve(JSON.parse(answer).hookSpecificOutput?.additionalContext ?? "")
      } catch {
        resolve("")
      }
    }
    try {
      const child = spawn(PROGRAM, ["hook", "--agent", "opencode", event], {
        cwd: input.cwd,
        stdio: ["pipe", "pipe", "ignore"],
        timeout: PATIENCE_MS,
      })
      child.on("error", done)
      child.on("close", done)
      child.stdout.on("data", (part) => (answer += part))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify({ hook_event_name: event, ...input }))
    } catch {
      done()
    }
  })
}

/** A place that does not reach `lokid` when something in it goes wrong. */
const quietly = (act) => async (...given) => {
  try {
    await act(...given)
  } catch {
    // The agent's work goes on whatever happens here.
  }
}

export const LokidPlugin = async ({ directory, worktree }) => {
  const about = (sessionID, more) => ({ session_id: sessionID, cwd: directory ?? worktree, ...more })
  // The block a session begins with, as a promise: asked for once, the same bytes on every turn.
  const blocks = new Map()
  const block = (sessionID, source) => {
    if (!blocks.has(sessionID)) blocks.set(sessionID, hook("SessionStart", about(sessionID, { source })))
    return blocks.get(sessionID)
  }
  const last = new Map()

  return {
    "chat.message": quietly(async ({ sessionID }, output) => {
      await block(sessionID, "startup")
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const words = prompt.map((part) => part.text).join("\n")
      const text = await hook("UserPromptSubmit", about(sessionID, { prompt: words }))
      if (!text) return
      const id = `prt_${Date.now().toString(16)}${Math.random().toString(16).slice(2, 14)}`
      output.parts.push({ id, sessionID, messageID: output.message.id, type: "text", text, synthetic: true })
    }),
    "experimental.chat.system.transform": quietly(async ({ sessionID }, output) => {
      if (!sessionID) return
      const text = await block(sessionID, "startup")
      if (text) output.system.push(text)
    }),
    "tool.execute.before": quietly(async ({ tool, sessionID, callID }, output) => {
      await hook("PreToolUse", about(sessionID, { tool_name: tool, tool_input: output.args, tool_use_id: callID }))
    }),
    "tool.execute.after": quietly(async ({ tool, sessionID, callID, args }, output) => {
      const call = { tool_name: tool, tool_input: args, tool_use_id: callID }
      const code = output.metadata?.exit
      const failed = typeof code === "number" && code !== 0
      const text = failed
        ? await hook("PostToolUseFailure", about(sessionID, { ...call, error: `Exit code ${code}\n${output.output}` }))
        : await hook("PostToolUse", about(sessionID, { ...call, tool_response: output.output }))
      if (text) output.output = `${output.output}\n\n${text}`
    }),
    "experimental.text.complete": quietly(async ({ sessionID }, { text }) => {
      last.set(sessionID, text)
    }),
    "experimental.session.compacting": quietly(async ({ sessionID }) => {
      await hook("PreCompact", about(sessionID, { trigger: "auto" }))
    }),
    event: quietly(async ({ event }) => {
      const sessionID = event.properties?.sessionID ?? event.properties?.info?.id
      if (!sessionID) return
      if (event.type === "session.idle") {
        const said = last.get(sessionID) ?? ""
        await hook("Stop", about(sessionID, { stop_hook_active: false, last_assistant_message: said }))
      } else if (event.type === "session.compacted") {
        await hook("PostCompact", about(sessionID, { trigger: "auto" }))
        blocks.delete(sessionID)
        await block(sessionID, "compact")
      } else if (event.type === "session.deleted") {
        blocks.delete(sessionID)
        last.delete(sessionID)
        await hook("SessionEnd", about(sessionID, { reason: "other" }))
      }
    }),
  }
}
