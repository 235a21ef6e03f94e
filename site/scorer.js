// Documents are found before decision records and the changelog, where a word is mentioned rather than explained. The numbers
// are those of Sphinx, which a file that defines a scorer replaces.
var Scorer = {
  score: ([page, , , , score]) => score - (page.startsWith("docs/adr/") || page === "CHANGELOG" ? 11 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
