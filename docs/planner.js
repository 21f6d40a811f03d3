// The planning page of the docs: the cheapest size for prices a person types in; the sizes come from planner-data.js.
// Halves go to the even digit, as in quorate.
function rounded(number, digits) {
  const scaled = number * 10 ** digits;
  const near = Math.round(scaled);
  return (Math.abs(scaled % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near) / 10 ** digits;
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
  return { priced, best, atTheEnd: best.k === rows[rows.length - 1][0] };
}

// The sentence `quorate plan` begins with.
function headline(best, itemPrice, ratingPrice) {
  const each = best.k === 1 ? "one rater" : count(best.k, "rater");
  const all = best.k === 1 ? "" : `, ${(best.n * best.k).toLocaleString("en-US")} ratings in all`;
  const priced = itemPrice !== 0 || ratingPrice !== 1;
  return `Buy ${count(best.n, "item")} with ${each} each${all}${priced ? `, for ${money(best.cost)}` : ""}`;
}

function quorateCommand(preset, difference, goal, itemPrice, ratingPrice) {
  const prices = `${itemPrice === 0 ? "" : ` --item-price ${itemPrice}`}${ratingPrice === 1 ? "" : ` --rating-price ${ratingPrice}`}`;
  return `quorate plan --preset ${preset} --difference ${difference}${goal === "0.8" ? "" : ` --goal power=${goal}`}${prices}`;
}

function showPlanner(form, place) {
  const at = (name) => form.elements[name].value;
  const itemPrice = Number(at("item"));
  const ratingPrice = Number(at("rating"));
  if (!(itemPrice >= 0 && ratingPrice >= 0 && itemPrice + ratingPrice > 0)) {
    place.textContent = "Prices must not be negative, and an item or a rating must cost something.";
    return;
  }
  const rows = SIZES[at("preset")][at("difference")]?.[at("goal")] ?? [];
  if (!rows.length) {
    place.textContent = "This difference is out of reach in this population: ask for less.";
    return;
  }
  const { priced, best, atTheEnd } = choose(rows, itemPrice, ratingPrice);
  const parts = [["h3", headline(best, itemPrice, ratingPrice)], ["p", `Power ${Math.round(100 * best.power)} %, two-sided test at 95 % confidence.`]];
  if (atTheEnd) parts.push(["p", "Even more raters per item may be cheaper still: quorate plan looks further than this page."]);
  parts.push(["pre", quorateCommand(at("preset"), at("difference"), at("goal"), itemPrice, ratingPrice)]);
  place.replaceChildren(...parts.map(([tag, text]) => Object.assign(document.createElement(tag), { textContent: text })), sizeTable(priced, best));
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
    row("td", [...cells, `${Math.round(100 * each.power)} %`], each === best);
  }
  return made;
}

if (typeof document !== "undefined") {
  const form = document.getElementById("planner");
  const place = document.getElementById("planner-answer");
  form.addEventListener("input", () => showPlanner(form, place));
  showPlanner(form, place);
}
