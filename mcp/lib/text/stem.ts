const endings = /(?:at)?ions?$|(?:ings?|es|ed|ers?|s)$/

/** A noun whose root is another word: to list something is no advert. */
const own = new Map([
  ['listing', 'advert'],
  ['listings', 'advert'],
  ['advertising', 'advertising'],
])

/** A noun of an act as its verb, where the spelling changes: verification is verify, submission is submit. */
const toVerb = (word: string): string => word.replace(/ications?$/, 'y').replace(/ssions?$/, 't')

/** An English word in lower case without its ending, so that `verification`, `verified` and `verifies` are one. */
export const stem = (word: string): string => {
  const noun = own.get(word)
  if (noun) return noun
  if (word.length < 5 || !/^[a-z]+$/.test(word))
    return word.length === 4 ? word.replace(/([^s])s$|e$/, '$1') : word
  const cut = toVerb(word)
    .replace(/ie[sd]$/, 'y')
    .replace(endings, '')
  return (cut.length < 3 ? word : cut).replace(/e$/, '').replace(/([b-df-hj-np-tv-z])\1$/, '$1')
}
