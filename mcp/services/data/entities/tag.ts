import type { Cover, Span } from './span.ts'

export type FoundTag = Span & { key: string; raw: string; tag: string }
export type FoundMention = Span & { key: string; raw: string; name: string; host: string | null }

const hashtag =
  /[#＃](?<![\p{L}\p{N}\p{M}_&/#＃].)(?=[\p{Nd}_]{0,50}[\p{L}\p{M}])[\p{L}\p{M}\p{Nd}_·]{1,100}/gu
const mention =
  /[@＠](?<![\p{L}\p{N}_.!#$%&*@＠/-].)([\p{L}\p{N}_](?:[\p{L}\p{N}_.-]{0,63}[\p{L}\p{N}_])?)(?:@([\w-]{1,63}(?:\.[\w-]{1,63}){1,6}))?/gu

/** Hashtags in any script; a number alone such as #123 is none. `tag` is without the mark. */
export const findHashtags = (text: string, cover: Cover): FoundTag[] => {
  const tags: FoundTag[] = []
  for (const { index: start, 0: raw } of text.matchAll(hashtag)) {
    const tag = raw.slice(1)
    const found = { key: tag.toLowerCase(), raw, tag, start, end: start + raw.length }
    if (cover.take(found)) tags.push(found)
  }
  return tags
}

/** Mentions such as @ada, or @ada@example.social with a host. */
export const findMentions = (text: string, cover: Cover): FoundMention[] => {
  const mentions: FoundMention[] = []
  for (const { index: start, 0: raw, 1: name = '', 2: host = null } of text.matchAll(mention)) {
    const found = { key: raw.toLowerCase(), raw, name, host, start, end: start + raw.length }
    if (cover.take(found)) mentions.push(found)
  }
  return mentions
}
