import { domainToUnicode } from 'node:url'
import { parse } from 'tldts'
import { ToolError } from '../../../kernel/error.ts'
import { type Domain, parseDomain } from '../domain.ts'

/** Top-level names that nobody registers under: RFC 6761, RFC 6762, RFC 7686, RFC 9476 and what private networks use. */
const special = new Set(
  'alt corp example home internal invalid lan local localdomain localhost onion private test'.split(' '),
)

/** True when nobody on the public internet has names that end like this. */
export const isSpecialName = (ascii: string): boolean => special.has(ascii.slice(ascii.lastIndexOf('.') + 1))

const refuse = (message: string, hint: string) =>
  new ToolError('invalid_input', `domain: ${message}.`, { issues: [{ path: 'domain', message }], hint })

/** The domain that is registered, and the host name that was given where that is another. */
export type Registrable = Domain & { host: string | null }

/**
 * The registrable domain that a name belongs to, by the public suffix list without its private part: of `a.b.co.uk` it is
 * `b.co.uk`, of `me.github.io` it is `github.io`. Throws `invalid_input` for a public suffix itself and for names of no registry.
 */
export const parseRegistrable = (input: string): Registrable => {
  const name = parseDomain(input)
  if (!name) throw refuse('must be a domain name such as example.com', 'Give a domain such as example.com.')
  const { domain, publicSuffix } = parse(name.ascii, {
    allowPrivateDomains: false,
    extractHostname: false,
    validateHostname: false,
  })
  const tld = name.ascii.slice(name.ascii.lastIndexOf('.') + 1)
  if (isSpecialName(name.ascii))
    throw refuse(
      `names under .${tld} are not registered with anybody`,
      'Give a domain of the public internet.',
    )
  if (!domain) {
    throw refuse(
      `${domainToUnicode(publicSuffix ?? name.ascii)} is a public suffix, under which domains are registered`,
      `Give a domain under it, such as name.${name.unicode}.`,
    )
  }
  return {
    ascii: domain,
    unicode: domainToUnicode(domain),
    host: domain === name.ascii ? null : name.ascii,
  }
}
