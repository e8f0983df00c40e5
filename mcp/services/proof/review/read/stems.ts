const maxStem = 6

/** The words of a text as a reader of wording counts them: lower case, cut to six letters, numbers and addresses by their kind, each once. */
export const readStems = (text: string): string[] => {
  const plain = text
    .toLowerCase()
    .replace(/https?:\/\/\S+/g, ' URL ')
    .replace(/\d[\d.,]*/g, ' NUM ')
  const words = plain.match(/\p{L}+(?:'t)?|[%$€?!:();`]/gu) ?? []
  return [...new Set(words.map(word => word.slice(0, maxStem)))]
}
