/** A name without what its spellings differ in: `dns-lookup`, `dns_lookup` and `DNS.lookup` are one. */
export const toPlainName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s./:_-]+/g, '_')
