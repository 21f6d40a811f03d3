// The planning page of the docs: the cheapest size for prices a person types in; sizes of known
// populations come from planner-data.js, those for variances typed in are worked out here.
const [LEAST_ITEMS, MOST_ITEMS, MOST_RATERS, TYPED] = [30, 1e7, 1000, "variance"];
const RATERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50];
const MOST_KNOWN = 50; // raters per item of known populations

// Halves go to the even digit, as in quorate; a half is one only if it is so in binary, as 0.125 and not 1.385.
function rounded(number, digits) {
  const half = (number * 2 ** (digits + 1)) % 2 === 1;
  return half ? (2 * Math.round((number * 10 ** digits) / 2)) / 10 ** digits : Number(number.toFixed(digits));
}

function money(cost) {
  const digits = cost >= 100 || cost === Math.trunc(cost) ? 0 : 2;
  const shown = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return rounded(cost, digits).toLocaleString("en-US", shown);
}

function count(n, word) {
  return `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;
}

// Every size with its cost, and the cheapest; of equals the one with fewer raters.
function choose(rows, itemPrice, ratingPrice) {
  const priced = rows.map(([k, n, power]) => ({ k, n, power, cost: n * (itemPrice + k * ratingPrice) }));
  const best = priced.reduce((least, each) => (each.cost < least.cost ? each : least));
  return { priced, best };
}

// The sentence `quorate plan` begins with.
function headline(best, itemPrice, ratingPrice) {
  const each = best.k === 1 ? "one rater" : count(best.k, "rater");
  const all = best.k === 1 ? "" : `, ${(best.n * best.k).toLocaleString("en-US")} ratings in all`;
  const priced = itemPrice !== 0 || ratingPrice !== 1;
  return `Buy ${count(best.n, "item")} with ${each} each${all}${priced ? `, for ${money(best.cost)}` : ""}`;
}

// The normal distribution function, by its series.
function normal(x) {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0;
  let sum = x;
  for (let term = x, n = 3; Math.abs(term) > 1e-17; n += 2) sum += term *= (x * x) / n;
  return 0.5 + sum * Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

// The chance that N items show a difference of `effect` standard deviations of one item, over what studies find for it.
function power(effect, n) {
  const place = Math.sqrt((LEAST_ITEMS - 1) / (n - 1));
  const [student, ...roots] = QUANTILES.map((each) => each.reduce((sum, factor) => sum * place + factor));
  const chances = roots.map((root) => normal(effect * Math.sqrt(n) - student * root));
  return chances.reduce((sum, each) => sum + each) / chances.length;
}

function fewestItems(effect, goal) {
  let [low, high] = [LEAST_ITEMS, LEAST_ITEMS];
  while (power(effect, high) < goal) {
    if (high >= MOST_ITEMS) return null;
    [low, high] = [high + 1, Math.min(2 * high, MOST_ITEMS)];
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (power(effect, middle) < goal) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Items and power for variances of one rater's difference, raters new on every item.
function typedSize({ item, rater, rest }, difference, goal, k) {
  const effect = difference / Math.sqrt(item + (rater + rest) / k);
  const n = fewestItems(effect, goal);
  return n === null ? undefined : [n, power(effect, n)];
}

// Sizes as `quorate plan` looks for them: first usual numbers of raters, then those between and beyond the cheapest,
// until there is none left to try.
function tried(size, itemPrice, ratingPrice) {
  const row = (k) => {
    const found = size(k);
    return found === undefined ? [] : [[k, ...found]];
  };
  const cost = ([k, n]) => n * (itemPrice + k * ratingPrice);
  const rows = RATERS.flatMap(row);
  for (let added = rows.length; added; ) {
    const place = rows.reduce((least, each, i) => (cost(each) < cost(rows[least]) ? i : least), 0);
    const last = rows[rows.length - 1][0];
    const around = rows.slice(Math.max(place - 1, 0), place + 2).map(([k]) => k);
    const between = around.slice(1).flatMap((k, i) => (k - around[i] > 1 ? [Math.floor((around[i] + k) / 2)] : []));
    const more = (place === rows.length - 1 && last < MOST_RATERS ? [Math.min(2 * last, MOST_RATERS)] : between).flatMap(row);
    rows.push(...more);
    rows.sort((one, other) => one[0] - other[0]);
    added = more.length;
  }
  return rows;
}

function percent(share) {
  if (share > 0 && share < 0.005) return "<1 %";
  return share >= 0.995 && share < 1 ? ">99 %" : `${rounded(100 * share, 0)} %`;
}

function quorateCommand(source, difference, goal, itemPrice, ratingPrice) {
  const prices = `${itemPrice === 0 ? "" : ` --item-price ${itemPrice}`}${ratingPrice === 1 ? "" : ` --rating-price ${ratingPrice}`}`;
  return `quorate plan ${source} --difference ${difference}${goal === "0.8" ? "" : ` --goal power=${goal}`}${prices}`;
}

// What a person filled in, as a question; a sentence where it cannot be one.
function readPlanner(at) {
  const [itemPrice, ratingPrice] = [Number(at("item-price")), Number(at("rating-price"))];
  if (!(itemPrice >= 0 && ratingPrice >= 0 && itemPrice + ratingPrice > 0)) {
    return "Prices must not be negative, and an item or a rating must cost something.";
  }
  const asked = { itemPrice, ratingPrice, goal: at("goal") };
  if (at("preset") !== TYPED) {
    const known = SIZES[at("preset")][at("difference")][at("goal")];
    const rows = tried((k) => known.find((row) => row[0] === k)?.slice(1), itemPrice, ratingPrice);
    return { ...asked, rows, difference: at("difference"), source: `--preset ${at("preset")}`, most: MOST_KNOWN };
  }
  const parts = { item: Number(at("var-item")), rater: Number(at("var-rater")), rest: Number(at("var-rest")) };
  const [difference, amounts] = [Number(at("var-difference")), Object.values(parts)];
  if (!amounts.every((each) => each >= 0) || !amounts.some((each) => each > 0)) return "Give variances from 0 up, one of them above 0.";
  if (!(difference > 0)) return "The difference must be above 0, in the units of the ratings.";
  const source = `--variance ${Object.entries(parts).map(([name, amount]) => `${name}=${amount}`).join(",")}`;
  const rows = tried((k) => typedSize(parts, difference, Number(asked.goal), k), itemPrice, ratingPrice);
  return { ...asked, rows, difference, source, most: Infinity };
}

function showPlanner(form, place) {
  for (const each of form.querySelectorAll("[data-for]")) {
    each.hidden = (each.dataset.for === "typed") !== (form.elements.preset.value === TYPED);
  }
  const asked = readPlanner((name) => form.elements[name].value);
  if (typeof asked === "string" || !asked.rows.length) {
    place.textContent = typeof asked === "string" ? asked : "This difference is out of reach here: ask for a larger one.";
    return;
  }
  const { priced, best } = choose(asked.rows, asked.itemPrice, asked.ratingPrice);
  const command = ["pre", quorateCommand(asked.source, asked.difference, asked.goal, asked.itemPrice, asked.ratingPrice)];
  const made = (parts) => parts.map(([tag, text]) => Object.assign(document.createElement(tag), { textContent: text }));
  if (best.k > asked.most) {
    place.replaceChildren(...made([["p", `Items are so dear beside ratings that more than ${asked.most} raters each may be cheapest; this looks further:`], command]));
    return;
  }
  const scroll = Object.assign(document.createElement("div"), { className: "planner-table", tabIndex: 0 });
  scroll.append(sizeTable(priced, best));
  const parts = [["h3", headline(best, asked.itemPrice, asked.ratingPrice)], ["p", `Power ${percent(best.power)}, two-sided test at 95 % confidence.`]];
  place.replaceChildren(...made([...parts, command]), scroll);
  if (typeof keepWords === "function") keepWords(place.querySelector("pre"));
}

function sizeTable(priced, best) {
  const made = document.createElement("table");
  const row = (tag, cells, strong) => {
    const line = made.insertRow();
    for (const text of cells) {
      const cell = document.createElement(tag);
      cell.textContent = text;
      if (strong) cell.style.fontWeight = "bold";
      line.append(cell);
    }
  };
  row("th", ["raters per item", "items", "ratings", "cost", "power"], false);
  for (const each of priced) {
    const cells = [each.k, each.n.toLocaleString("en-US"), (each.n * each.k).toLocaleString("en-US"), money(each.cost)];
    row("td", [...cells, percent(each.power)], each === best);
  }
  return made;
}

if (typeof document !== "undefined") {
  const form = document.getElementById("planner");
  const place = document.getElementById("planner-answer");
  form.addEventListener("input", () => showPlanner(form, place));
  showPlanner(form, place);
}
