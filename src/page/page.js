// Makes the page quicker for whoever has a keyboard: choosing with j and k, acting with a letter, searching as you type,
// and looking anew when something happened. Everything works without it. It loads nothing from elsewhere, and puts no text
// into the page but what the page's own server has made.
"use strict";

const folder = document.body.dataset.folder;
const main = () => document.getElementById("main");
const items = () => [...main().querySelectorAll("[data-item]")];
const chosen = () => main().querySelector("[data-item].chosen");
const typing = (target) => target.closest("input:not([type=hidden]):not([type=range]), textarea, select, dialog[open]");

function choose(item, see = true) {
  for (const other of items()) other.classList.toggle("chosen", other === item);
  if (!item) return;
  item.tabIndex = -1;
  item.focus({ preventScroll: !see });
  if (see) item.scrollIntoView({ block: "nearest" });
}

function move(by) {
  const all = items();
  if (!all.length) return;
  const at = all.indexOf(chosen());
  choose(all[Math.min(all.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by))]);
}

// The place of what is chosen outlives a new look: by its name, or else by its number.
function showing(html, address) {
  const made = new DOMParser().parseFromString(html, "text/html");
  const fresh = made.getElementById("main");
  if (!fresh) return location.assign(address || location.href);
  const all = items();
  const at = all.indexOf(chosen());
  const name = at < 0 ? null : all[at].dataset.item;
  const open = [...main().querySelectorAll("details[open]")].map((one) => one.id).filter(Boolean);
  const held = document.activeElement && document.activeElement.id;
  // What was loaded by itself stays as it is.
  for (const part of fresh.querySelectorAll("[data-load]")) { const old = document.getElementById(part.id); if (old) part.replaceWith(old); }
  main().replaceWith(fresh);
  parts();
  document.title = made.title;
  // What came of an act stays until the next one: a look anew brings none.
  const notice = made.querySelector(".notice"), old = document.querySelector(".notice");
  if (address && notice && old) { old.textContent = notice.textContent; old.className = notice.className; }
  for (const id of open) { const one = document.getElementById(id); if (one) one.open = true; }
  if (at >= 0) {
    const now = items();
    choose(now.find((one) => one.dataset.item === name) || now[Math.min(at, now.length - 1)], false);
  } else if (held) {
    const one = document.getElementById(held);
    if (one) one.focus({ preventScroll: true });
  }
  if (address && address !== location.href) history.replaceState(null, "", address);
}

// What takes a moment is put in when it is there: the element of the same name in the answer.
function parts() {
  for (const part of main().querySelectorAll("[data-load]")) {
    const address = part.dataset.load;
    delete part.dataset.load;
    part.setAttribute("aria-busy", "true");
    fetch(address, { credentials: "same-origin" }).then((answer) => answer.text()).then((html) => {
      const made = new DOMParser().parseFromString(html, "text/html").getElementById(part.id);
      if (made) part.replaceWith(made); else part.removeAttribute("aria-busy");
    }, () => part.removeAttribute("aria-busy"));
  }
}

let asked = 0, acting = 0, looking = 0, later = 0;
async function load(address, options, keep) {
  const own = ++asked;
  if (!keep) looking += 1;
  try {
    const answer = await fetch(address, { credentials: "same-origin", ...options });
    const html = await answer.text();
    if (own !== asked) return;
    // Who began to write while it was on its way keeps the place.
    if (keep && busy()) return anew();
    showing(html, keep ? null : answer.url);
  } catch {
    const notice = document.querySelector(".notice");
    if (notice && !keep) { notice.textContent = "The page does not answer; is `lokid ui` still running?"; notice.className = "notice failed"; }
  } finally {
    if (!keep) looking -= 1;
  }
}

function submit(form) {
  // One deed after the other: what is pressed twice is meant once.
  if (form.method !== "get" && acting) return;
  const data = new URLSearchParams(new FormData(form));
  if (form.method === "get") return load(`${form.action.split("?")[0]}?${data}`);
  acting += 1;
  return load(form.action, { method: "POST", body: data }).finally(() => { acting -= 1; });
}

document.addEventListener("submit", (event) => {
  if (event.target.method === "dialog" || event.target.dataset.plain !== undefined) return;
  event.preventDefault();
  submit(event.target);
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-eager]");
  if (!form) return;
  clearTimeout(later);
  later = setTimeout(() => {
    later = 0;
    const data = new URLSearchParams(new FormData(form));
    const address = `${form.action.split("?")[0]}?${data}`;
    const at = [event.target.selectionStart, event.target.selectionEnd];
    load(address).then(() => {
      const field = document.getElementById(event.target.id);
      if (!field || field === document.activeElement && field.value === event.target.value) return;
      field.focus({ preventScroll: true });
      if (field.type === "search") { field.value = event.target.value; field.setSelectionRange(...at); }
    });
  }, 120);
});

let going = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // A key that is held down moves, and does nothing else.
  if (event.repeat && event.key !== "j" && event.key !== "k") return;
  if (typing(event.target)) { if (event.key === "Escape" && !event.target.closest("dialog")) event.target.blur(); return; }
  const key = event.key;
  if (going) {
    going = false;
    const tab = [...document.querySelectorAll("[data-go]")].find((one) => one.dataset.go === key);
    if (tab) { event.preventDefault(); tab.click(); }
    return;
  }
  const within = (selector) => { const one = chosen(); return one ? one.querySelector(selector) : main().querySelector(`.whole ${selector}`); };
  if (key === "j" || key === "k") { event.preventDefault(); move(key === "j" ? 1 : -1); }
  else if (key === "g") going = true;
  else if (key === "/") { const field = main().querySelector("input[type=search]"); if (field) { event.preventDefault(); field.focus(); field.select(); } }
  else if (key === "?") { event.preventDefault(); document.getElementById("keys").showModal(); }
  else if (key === "Enter" && chosen() && event.target === chosen()) {
    const way = within("[data-open]") || within("summary") || within("a");
    if (way) { event.preventDefault(); way.click(); }
  } else if (/^[a-z0-9]$/.test(key)) {
    const way = within(`[data-key="${key}"]`);
    if (!way) return;
    event.preventDefault();
    if (way.tagName === "FORM") submit(way); else if (way.tagName === "DETAILS") { way.open = !way.open; const field = way.querySelector("textarea, input:not([type=hidden])"); if (way.open && field) field.focus(); } else way.click();
  }
});

document.addEventListener("click", (event) => {
  const item = event.target.closest("[data-item]");
  if (item && !event.target.closest("a, button, summary, input, textarea")) choose(item, false);
});

// What a reader has at hand is what keys act on.
document.addEventListener("focusin", (event) => {
  const item = event.target.closest("[data-item]");
  if (item && item !== event.target) for (const other of items()) other.classList.toggle("chosen", other === item);
});

// What happened elsewhere is shown when the burst is over, and when nobody is in the middle of a word, an act or a look of
// their own.
const unsaved = () => [...main().querySelectorAll("textarea")].some((one) => one.value !== one.defaultValue);
function busy() {
  const target = document.activeElement;
  return acting || looking || later || unsaved() || target && typing(target) && target.type !== "search" || document.querySelector("dialog[open]");
}
let due;
function anew() {
  clearTimeout(due);
  due = setTimeout(() => {
    if (document.hidden) { missed = true; return; }
    if (busy()) return anew();
    load(location.href, { headers: { "x-anew": "1" } }, true);
  }, 300);
}
// A browser holds six connections to a server: a page that nobody sees gives its own back.
let news = null, missed = false;
function hear() {
  if (news || document.hidden) return;
  news = new EventSource(`${folder}/live?heard=${main().dataset.heard}`);
  news.onmessage = (event) => {
    const told = JSON.parse(event.data);
    const wanted = main().dataset.live.split(" ");
    const ours = !told.project || told.project === main().dataset.path || told.project === main().dataset.project;
    if (ours && (wanted.includes(told.kind) || told.kind === "away" || told.kind === "missed")) anew();
  };
  news.onerror = () => { missed = true; };
  news.onopen = () => { if (missed) { missed = false; anew(); } };
}
function rest() {
  if (!news) return;
  news.close();
  news = null;
  missed = true;
}
document.addEventListener("visibilitychange", () => (document.hidden ? rest() : hear()));
addEventListener("pagehide", rest);
addEventListener("pageshow", hear);
hear();
parts();
