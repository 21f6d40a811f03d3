// Every page works from its address; this makes answers follow what is filled in, and files go where they are dropped.
"use strict";
const form = document.getElementById("question");
const answer = document.getElementById("answer");
const live = form !== null && form.dataset.live === "yes";
const JSON_TOO = { headers: { Accept: "application/json" } };
let asked = 0; // number of the last question; older answers are not shown
let waiting = null; // key of the job that is waited for
let timer = 0; // of the question that is soon asked
let sending = false; // whether a question is on its way

// plotly.js styles bold text by an attribute, which the pages do not allow; the same by a property is allowed.
const setAttribute = Element.prototype.setAttribute;
SVGElement.prototype.setAttribute = function (name, value) {
  if (name === "style") this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

function query() {
  const fields = [...new FormData(form)].filter(([, value]) => typeof value === "string" && value !== "");
  return new URLSearchParams(fields);
}

async function ask(told) {
  const mine = ++asked;
  clearTimeout(timer);
  timer = 0;
  const words = query();
  if (told) words.set("go", "1");
  const address = `${form.action.split("?")[0]}?${words}`;
  history.replaceState(null, "", address);
  if (waiting) post(`/jobs/${waiting}/cancel?waiting=1`);
  waiting = null;
  busy(true);
  sending = true;
  await heard(mine, async () => {
    const news = await (await fetch(address, JSON_TOO)).json();
    if (mine === asked) sending = false;
    if (mine === asked) await show(news, mine);
  });
}

function post(address) {
  return fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" });
}

async function heard(mine, news) {
  try {
    await news();
  } catch (error) {
    if (mine !== asked) return;
    sending = false;
    busy(false);
    say("The app does not answer; is it still running in the terminal?");
  }
}

function busy(yes) {
  answer?.setAttribute("aria-busy", String(yes));
}

function say(sentence, field = "") {
  for (const each of document.querySelectorAll("[data-problem]")) {
    const here = each.dataset.problem === (field ?? "");
    each.textContent = here ? sentence : "";
    each.closest(".field")?.classList.toggle("wrong", here && sentence !== "");
    if (here && sentence) each.closest("details")?.setAttribute("open", "");
  }
}

async function show(news, mine) {
  if (form.dataset.replaces) {
    if (news.state === "waiting" || news.state === "working") return ask(false);
    const focused = document.activeElement?.id;
    document.getElementById(form.dataset.replaces).innerHTML = news.html;
    if (focused) document.getElementById(focused)?.focus();
    announce(document.querySelector(`#${form.dataset.replaces} .facts`)?.innerText);
    return;
  }
  say(news.problem ? news.problem.sentence : "", news.problem ? news.problem.field : "");
  answer.dataset.state = news.state;
  if (news.key) answer.dataset.key = news.key;
  if (news.state === "waiting" || news.state === "working") {
    waiting = news.key;
    if (news.html) await put(news.html);
    if (mine === asked) progress(news);
    return follow(news.key, mine, Boolean(news.html));
  }
  waiting = null;
  busy(timer !== 0);
  if (news.state === "done") await put(news.html);
  else if (news.state === "empty") answer.innerHTML = "<div class='hint'><h2>The answer will stand here</h2></div>";
  else hint(news);
}

function hint(news) {
  const words = {
    refused: ["Not yet", news.problem?.sentence],
    killed: ["There is no answer", "The process that worked on it was killed, perhaps for want of memory. Another one is ready: ask again."],
    failed: ["There is no answer", "Something went wrong that is not your fault. Ask again, or copy the command and report what it prints."],
    cancelled: ["Cancelled", "Ask again when you like."],
    unknown: ["There is no answer", "The app was started again meanwhile: ask again."],
  }[news.state];
  const box = document.createElement("div");
  box.className = "hint";
  box.append(element("h2", words[0]), element("p", words[1] ?? ""));
  answer.replaceChildren(box);
  glance();
  announce(news.problem ? "" : box.textContent); // a refusal is read out beside its field
}

// What a screen reader says when the page has changed; the whole answer would be too much.
function announce(text) {
  const place = document.getElementById("heard");
  if (text && place.textContent !== text) place.textContent = text;
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

async function put(html) {
  answer.innerHTML = html;
  dress();
  glance();
  announce(answer.querySelector(".headline")?.textContent);
  await drawPlots(answer);
}

// On a narrow screen the headline stays in sight while the form is filled in, and goes where the answer is seen itself.
function glance() {
  const place = document.getElementById("glance");
  const seen = answer.getBoundingClientRect().top < innerHeight - 120;
  place.textContent = seen ? "" : answer.querySelector(".headline")?.textContent ?? "";
}

function dress() {
  for (const link of answer.querySelectorAll("[data-download]")) {
    link.href = `/download/${answer.dataset.key}/${link.dataset.download}`;
  }
}

function progress(news) {
  let box = answer.querySelector(".progress");
  if (!box) {
    box = document.createElement("div");
    box.className = "progress";
    const stop = element("button", "Cancel");
    stop.type = "button";
    stop.dataset.cancel = "yes";
    const bar = document.createElement("progress");
    bar.setAttribute("aria-label", "How far it is");
    box.append(element("p", ""), bar, stop);
    announce("Working");
    if (!answer.querySelector("header")) answer.replaceChildren();
    answer.prepend(box);
  }
  const left = news.left === null || news.left === undefined ? "" : `, about ${time(news.left)} left`;
  const text = news.state === "waiting" ? "Waiting for a free process" : `Working, ${time(news.seconds)}${left}`;
  box.querySelector("p").textContent = text;
  const bar = box.querySelector("progress");
  if (news.progress) [bar.value, bar.max] = news.progress;
}

function time(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 100 ? `${whole} s` : whole < 6000 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3600)} h`;
}

async function follow(key, mine, partly) {
  while (mine === asked) {
    const news = await (await fetch(`/jobs/${key}`, JSON_TOO)).json();
    if (mine !== asked) return;
    if (news.state !== "waiting" && news.state !== "working") return show(news, mine);
    if (news.html && !partly) {
      partly = true;
      await put(news.html);
    }
    if (mine === asked) progress(news);
  }
}

async function upload(file, field) {
  say("", field);
  const body = new FormData();
  body.append("file", file);
  const sent = await fetch("/files", { method: "POST", body, ...JSON_TOO }).catch(() => null);
  const stored = sent ? await sent.json().catch(() => ({})) : {};
  if (!stored.identity) throw new Error(stored.problem ?? "The file was not taken; it may be too large.");
  return stored;
}

const takes = {}; // number of the last file that was given to a field
async function take(file, field) {
  const mine = (takes[field] = (takes[field] ?? 0) + 1);
  try {
    const stored = await upload(file, field);
    if (mine === takes[field]) choose(stored, document.getElementById(`f-${field}`));
  } catch (error) {
    if (mine === takes[field]) say(error.message, field);
  }
}

// Several files one after the other where a field takes several or the address names some, else the first.
async function takeAll(files, field) {
  const several = document.getElementById(`f-${field}`).multiple || document.querySelector("[data-absent]") !== null;
  for (const file of [...files].slice(0, several ? files.length : 1)) await take(file, field);
}

// A file goes where it was dropped, or, if the address names its content and it was not here before, where that says.
function choose(stored, field) {
  const digest = (identity) => identity.split(":")[0];
  const named = [...document.querySelectorAll("[data-absent]")].filter((each) => digest(each.value) === digest(stored.identity));
  const menus = named.length ? named.map((each) => each.closest("select")) : [field];
  for (const each of named) each.remove();
  for (const each of document.querySelectorAll(".file select")) {
    if (![...each.options].some((option) => option.value === stored.identity)) {
      each.add(new Option(stored.name, stored.identity), 1);
    }
  }
  for (const menu of menus) {
    [...menu.options].find((each) => each.value === stored.identity).selected = true;
    menu.dispatchEvent(new Event("change", { bubbles: true }));
  }
  // With the last file of its address a page is again what it was.
  const complete = named.length && document.querySelector("[data-absent]") === null;
  if (complete && !live && new URLSearchParams(location.search).has("go")) ask(true);
}

function changed(event) {
  const target = event.target;
  if (target.type === "file") return;
  if (target.dataset.slides) document.getElementById(`f-${target.dataset.slides}`).value = target.value;
  const slider = document.querySelector(`[data-slides="${target.name}"]`);
  if (slider && target.value !== "") slider.value = target.value;
  if (!live) return;
  busy(true);
  if (form.dataset.replaces) asked += 1; // an answer still under way must not write over what was just chosen
  const menu = target.tagName === "SELECT" || target.type === "checkbox";
  soon(target.dataset.slides || menu ? 40 : 250, !target.dataset.slides);
}

// Ask in a moment; typing begins the moment again, dragging does not, so that the answer follows the hand.
function soon(moment, again) {
  if (timer && !again) return;
  clearTimeout(timer);
  timer = setTimeout(() => {
    timer = 0;
    if (sending && !form.dataset.replaces) soon(moment, again);
    else ask(false);
  }, moment);
}

if (form) {
  form.addEventListener("input", changed);
  form.addEventListener("change", (event) => {
    if (event.target.tagName === "SELECT") changed(event);
    if (event.target.dataset.upload) takeAll(event.target.files, event.target.dataset.upload);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    ask(true);
    if (answer && innerWidth < 960) answer.scrollIntoView();
  });
  window.addEventListener("dragover", (event) => {
    event.preventDefault();
    const place = event.target.closest?.(".file");
    for (const each of document.querySelectorAll(".file")) each.classList.toggle("over", each === place);
  });
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    const place = event.target.closest?.(".file") ?? document.querySelector(".file");
    for (const each of document.querySelectorAll(".file")) each.classList.remove("over");
    if (place) takeAll(event.dataTransfer.files, place.dataset.field);
  });
}

if (form?.dataset.state === "working") ask(false);

const drop = document.getElementById("drop");
if (drop) {
  const go = async (file) => {
    const problem = drop.querySelector(".problem");
    problem.textContent = "";
    try {
      const stored = await upload(file, "");
      location.assign(`${drop.dataset.next}?${new URLSearchParams({ [drop.dataset.field]: stored.identity })}`);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  drop.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = drop.querySelector("input[type=file]").files;
    if (chosen.length) go(chosen[0]);
  });
  drop.querySelector("input[type=file]").addEventListener("change", (event) => go(event.target.files[0]));
  window.addEventListener("dragover", (event) => event.preventDefault());
  window.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) go(event.dataTransfer.files[0]);
  });
}

if (answer) {
  answer.addEventListener("click", async (event) => {
    const target = event.target.closest("button");
    if (!target) return;
    if (target.dataset.copy) {
      await navigator.clipboard.writeText(answer.querySelector(`[data-text="${target.dataset.copy}"]`).textContent);
      answer.querySelector(".said").textContent = "Copied.";
    }
    if (target.dataset.cancel && waiting) {
      await post(`/jobs/${waiting}/cancel`);
    }
    if (target.dataset.figure !== undefined) await figure();
  });
  if (answer.dataset.state === "waiting" || answer.dataset.state === "working") {
    const mine = ++asked;
    waiting = answer.dataset.key;
    heard(mine, () => follow(waiting, mine, answer.querySelector("header") !== null));
  }
  if (answer.dataset.key) dress();
  window.addEventListener("scroll", glance, { passive: true });
  glance();
  if (answer.querySelector(".plot")) drawPlots(answer);
}

// Paper says how to run it again; a fold cannot be opened there.
for (const [moment, open] of [["beforeprint", true], ["afterprint", false]]) {
  window.addEventListener(moment, () => document.querySelector(".method")?.toggleAttribute("open", open));
}

async function figure() {
  const place = answer.querySelector(".plot");
  const address = await Plotly.toImage(place, { format: "svg", width: 900, height: place.clientHeight });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([decodeURIComponent(address.split(",")[1])], { type: "image/svg+xml" }));
  link.download = `quorate-${form.action.split("/").pop().split("?")[0]}.svg`;
  link.click();
}
