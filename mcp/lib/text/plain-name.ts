/** A name without what its spellings differ in: `dns-lookup`, `dns_lookup`, `DNS.lookup` and `dnsLookup` are one. */
export const toPlainName = (name: string): string =>
  name
    .trim()
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s./:_-]+/g, '_')
    .replace(/^_|_$/g, '')
