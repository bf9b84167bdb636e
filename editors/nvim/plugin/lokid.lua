-- What Neovim hears of and what can be typed; everything else is done by lua/lokid.lua.
if vim.g.loaded_lokid or not vim.api.nvim_create_autocmd then
  return
end
vim.g.loaded_lokid = true

local group = vim.api.nvim_create_augroup("lokid", { clear = true })
local function on(events, name)
  vim.api.nvim_create_autocmd(events, {
    group = group,
    callback = function(event)
      pcall(require("lokid")[name], event.buf)
    end,
  })
end
on({ "BufReadPost", "BufNewFile", "BufEnter" }, "opened")
on("BufWritePost", "saved")
on("VimLeavePre", "leave")

vim.api.nvim_create_user_command("LokiContext", function()
  require("lokid").context()
end, { desc = "Show what is worth knowing about this file" })
vim.api.nvim_create_user_command("LokiRecall", function(typed)
  require("lokid").recall(typed.args)
end, { nargs = "+", desc = "Show what is remembered about these words" })
