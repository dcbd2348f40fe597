"use strict";
// Sections that hold the words of a question, those with most of its rarer words first; one for each page.
// conf.py writes SECTIONS. Sphinx's own search wants every word on the page and knows no sections.
// Words that say nothing in a question, beside the stop words of Sphinx.
const STOP = new Set(
  ("what how why which who where when does do did am were can could should would shall may might must i me my we our us you your " +
    "have has had get got want need needs use used using much many some any else someone somebody about from please s")
    .split(" "),
);

function wordsOf(text) {
  const found = text.toLowerCase().match(/[a-z0-9]+/g) || [];
  const stemmer = new Stemmer();
  const telling = found.filter((word) => !STOP.has(word) && !stopwords.has(word));
  return (telling.length ? telling : found).map((word) => stemmer.stemWord(word));
}

// A word that is not there stands for those that begin like it, as `commercially` does for `commercial`.
function knownIn(table, word) {
  if (Object.hasOwn(table, word)) return [word];
  for (let length = word.length; length >= Math.max(4, 0.7 * word.length); length--) {
    const found = Object.keys(table).filter((term) => term.startsWith(word.slice(0, length)) && term.length <= word.length + 4);
    if (found.length) return found.slice(0, 20);
  }
  return [];
}

// The words of a section's heading and of its page's title say best what it is about.
const HEADINGS = new Map();
function headingsOf(section) {
  if (!HEADINGS.has(section)) {
    const [page, , heading] = SECTIONS.sections[section];
    HEADINGS.set(section, new Set(wordsOf(`${heading} ${SECTIONS.pages[page][1].split(":")[0]}`)));
  }
  return HEADINGS.get(section);
}

function findSections(question) {
  const { pages, sections } = SECTIONS;
  const mean = sections.reduce((sum, section) => sum + section[3], 0) / sections.length;
  const scores = new Map();
  const asked = [...new Set(wordsOf(question))];
  asked.forEach((word) => {
    const best = new Map();
    const same = knownIn(SECTIONS.same, word).flatMap((typed) => SECTIONS.same[typed]);
    // Words that mean the same count half.
    [[word, 1], ...same.map((other) => [other, 0.5])].forEach(([term, weight]) => {
      const places = knownIn(SECTIONS.terms, term).map((known) => SECTIONS.terms[known]);
      const held = places.reduce((sum, each) => sum + each.length / 2, 0);
      // What is rarer still tells no more: people also use words that no page is about.
      const rare = weight * Math.min(3.5, Math.log(1 + (sections.length - held + 0.5) / (held + 0.5)));
      places.forEach((each) => {
        for (let at = 0; at < each.length; at += 2) {
          const length = sections[each[at]][3] / mean;
          const share = each[at + 1] * 2.2 / (each[at + 1] + 1.2 * (0.4 + 0.6 * length));
          const named = headingsOf(each[at]).has(term) ? 1 : 0;
          best.set(each[at], Math.max(best.get(each[at]) || 0, rare * (share + named)));
        }
      });
    });
    best.forEach((score, section) => {
      const [sum, count] = scores.get(section) || [0, 0];
      scores.set(section, [sum + score, count + 1]);
    });
  });
  const ofPage = new Map();
  scores.forEach(([sum, count], section) => {
    const [page, anchor, heading] = sections[section];
    const score = sum * (count / asked.length) ** 0.5 * pages[page][2];
    if (!(ofPage.get(page)?.score >= score)) ofPage.set(page, { score, anchor, heading });
  });
  // The page takes results from the end.
  return [...ofPage].sort((one, two) => one[1].score - two[1].score).slice(-30).map(([page, { score, anchor, heading }]) => {
    const [name, title] = pages[page];
    return [name, anchor ? `${title} > ${heading}` : title, anchor ? "#" + anchor : "", null, score, name, "text"];
  });
}

document.addEventListener("DOMContentLoaded", () => {
  Search._performSearch = (question) => {
    document.getElementById("search-progress")?.replaceChildren();
    return findSections(question);
  };
});
