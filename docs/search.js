// The theme's search needs a server. Opened from a folder, pages search by this instead: every word must occur.
if (location.protocol === "file:") {
  const root = new URL(JSON.parse(document.getElementById("__config").textContent).base + "/", location.href);
  const box = document.createElement("div");
  box.className = "folder-search";
  box.innerHTML = '<input type="search" placeholder="Search" aria-label="Search these pages"><ol hidden></ol>';
  const [input, list] = box.children;
  document.querySelector(".md-header__inner").append(box);
  document.documentElement.classList.add("from-folder");
  let pages = null;
  const load = () => new Promise((done) => {
    const script = document.createElement("script");
    script.src = new URL("search/folder_index.js", root);
    script.onload = () => done(window.quorateIndex);
    document.head.append(script);
  });
  const plain = (text) => text.replace(/<[^>]*>/g, " ");
  const show = (found) => {
    list.replaceChildren(...found.map((page) => {
      const link = document.createElement("a");
      link.href = new URL(page.location, root);
      link.innerHTML = page.title; // as the theme does: titles are ours, and escaped
      const item = document.createElement("li");
      item.append(link);
      return item;
    }));
    list.hidden = found.length === 0;
  };
  input.addEventListener("input", async () => {
    pages ??= (await load()).map((page) => ({ ...page, words: plain(`${page.title} ${page.text}`).toLowerCase() }));
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? pages.filter((page) => words.every((word) => page.words.includes(word))) : [];
    const inTitle = (page) => words.filter((word) => page.title.toLowerCase().includes(word)).length;
    show(found.sort((a, b) => inTitle(b) - inTitle(a)).slice(0, 12));
  });
}
