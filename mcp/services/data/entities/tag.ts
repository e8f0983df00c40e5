import type { Cover, TextSpan } from '../../../lib/text/amount/span.ts'

export type FoundTag = TextSpan & { key: string; raw: string; tag: string }
export type FoundMention = TextSpan & { key: string; raw: string; name: string; host: string | null }

/** Characters inside a hashtag besides letters, marks and digits: joiners, and signs that words of a script are written with. */
const inside =
  '_\\u00b7\\u05be\\u05f3\\u05f4\\u0f0b\\u0f0c\\u200c\\u200d\\u3003\\u301c\\u309b\\u309c\\u30a0\\u30fb\\ua67e\\uff5e'
const hashtag = new RegExp(
  `[#＃](?<![\\p{L}\\p{N}\\p{M}_&/#＃].)(?=[\\p{Nd}${inside}]{0,50}[\\p{L}\\p{M}])[\\p{L}\\p{M}\\p{Nd}${inside}]{1,100}(?![#＃\\p{L}\\p{M}\\p{Nd}${inside}])`,
  'gu',
)

/** Scripts with spaces between words: a letter of theirs before the @ makes it part of a word. */
const spacedScripts = '\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}'
const mention = new RegExp(
  `[@＠](?<!(?:[${spacedScripts}\\p{N}_!#$%&*@＠/]|\\S[.-])(?<!(?:^|[^${spacedScripts}\\p{N}])[Rr][Tt]).)` +
    `(?=_{0,20}[A-Za-z0-9])(\\w(?:[\\w.-]{0,63}\\w)?)(?![\\w${spacedScripts}]|://)(?:@([\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,6}))?`,
  'gu',
)

/** Hashtags in any script; a number alone such as #123 is none. `tag` is without the mark. */
export const findHashtags = (text: string, cover: Cover): FoundTag[] => {
  const tags: FoundTag[] = []
  for (const { index: start, 0: raw } of text.matchAll(hashtag)) {
    const tag = raw.slice(1)
    const entry = { key: tag.toLowerCase(), raw, tag, start, end: start + raw.length }
    if (cover.take(entry)) tags.push(entry)
  }
  return tags
}

/** Mentions such as @ada, or @ada@example.social with a host. Names are ASCII, as they are where people are mentioned. */
export const findMentions = (text: string, cover: Cover): FoundMention[] => {
  const mentions: FoundMention[] = []
  for (const { index: start, 0: raw, 1: name = '', 2: host = null } of text.matchAll(mention)) {
    const entry = { key: raw.toLowerCase(), raw, name, host, start, end: start + raw.length }
    if (cover.take(entry)) mentions.push(entry)
  }
  return mentions
}
