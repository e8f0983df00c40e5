/** Selectors of common mail providers and of common habit. Absence from this list proves nothing. */
const common = [
  'default dkim mail email smtp key1 key2 dk class sm x a1',
  's1 s2 s1024 s2048 k1 k2 k3 dkim1 dkim2',
  'selector1 selector2 google 20230601 zoho zmail',
  'protonmail protonmail2 protonmail3 fm1 fm2 fm3 mesmtp sig1',
  'mandrill mailjet sendgrid smtpapi mxvault amazonses cm pm krs mg mailo',
  'everlytickey1 everlytickey2 eversrv turbo-smtp hs1 hs2 ctct1 ctct2 litesrv ml',
  '2024 2025 2026',
].flatMap(line => line.split(' '))

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** True when a text is a DKIM selector: labels joined with dots. */
export const isSelector = (text: string): boolean =>
  text.length <= 190 && text.split('.').every(part => label.test(part))

/** The selectors to try for a domain: the one that was asked for, the common ones, and the domain's own label. */
export const selectorsFor = (domain: string, selector: string | undefined): string[] => {
  const firstLabel = domain.split('.')[0] ?? ''
  return [
    ...new Set([
      ...(selector === undefined ? [] : [selector.toLowerCase()]),
      ...common,
      ...(isSelector(firstLabel) ? [firstLabel] : []),
    ]),
  ]
}
