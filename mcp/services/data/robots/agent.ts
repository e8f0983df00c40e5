/** Does a user-agent line name all crawlers? `*`, also with words behind it. */
export const isEveryone = (value: string): boolean => /^\*(?:$|[\t\n\v\f\r ])/.test(value)

/**
 * The crawler that a user-agent line names, in lower case, by its product token: letters, `-` and `_` (RFC 9309 §2.2.1).
 * Names such as MJ12bot and archive.org_bot, which the RFC does not allow for, are met whole as well.
 */
export const crawlerNames = (value: string): readonly string[] => [
  (/^[a-z_-]*/i.exec(value)?.[0] ?? '').toLowerCase(),
  (/^[\w.-]*/.exec(value)?.[0] ?? '').toLowerCase(),
]

/** The product token of a crawler, out of its token, its token with a version, or its whole User-Agent header. */
export const productToken = (userAgent: string): string => {
  const text = userAgent.trim()
  const compatible = /\bcompatible;\s{0,8}([\w.-]{1,100})/i.exec(text)?.[1]
  return compatible ?? /^[^\s/;()]{1,200}/.exec(text)?.[0] ?? text
}
