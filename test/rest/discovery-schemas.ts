import { z } from 'zod'

const absolute = z.url({ protocol: /^https$/ })

/**
 * An entry of a registry of MCP servers that is reached over the network: ServerDetail of the published schema of 2025-12-11 and the
 * rules of the registry beside it (reverse-DNS name, no version ranges), as strict as those are and closed. MIT, modelcontextprotocol/registry.
 */
export const ServerDetail = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z
    .string()
    .max(255)
    .regex(/^v?\d+\.\d+\.\d+/),
  websiteUrl: absolute,
  icons: z.array(
    z.strictObject({
      src: absolute.max(255),
      mimeType: z.enum(['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp']),
      sizes: z.array(z.string().regex(/^(\d+x\d+|any)$/)),
    }),
  ),
  remotes: z
    .array(
      z.strictObject({
        type: z.enum(['streamable-http', 'sse']),
        url: absolute.regex(/^https?:\/\/[^\s]+$/),
        headers: z
          .array(
            z.strictObject({
              name: z.string().min(1),
              description: z.string(),
              isRequired: z.boolean(),
              isSecret: z.boolean(),
            }),
          )
          .optional(),
      }),
    )
    .min(1),
})

/** The registration file of an agent: the structure of ERC-8004 ("MUST have the following structure"). CC0, ethereum/ERCs. */
export const AgentRegistration = z.strictObject({
  type: z.literal('https://eips.ethereum.org/EIPS/eip-8004#registration-v1'),
  name: z.string().min(1),
  description: z.string().min(1),
  image: absolute,
  services: z
    .array(z.strictObject({ name: z.string().min(1), endpoint: absolute, version: z.string().optional() }))
    .min(1),
  x402Support: z.boolean(),
  active: z.boolean(),
  registrations: z.array(
    z.strictObject({
      agentId: z.int().min(0),
      agentRegistry: z.string().regex(/^eip155:\d+:0x[0-9a-fA-F]{40}$/),
    }),
  ),
  supportedTrust: z.array(z.string()),
})

/** A linkset (RFC 9264 §4.2): contexts with an anchor, and link targets under relation types that are registered or URIs. */
const Target = z.strictObject({ href: absolute, type: z.string().optional(), title: z.string().optional() })
export const Linkset = z.strictObject({
  linkset: z
    .array(
      z.strictObject({
        anchor: absolute,
        item: z.array(Target).optional(),
        'service-desc': z.array(Target).optional(),
        'service-doc': z.array(Target).optional(),
        'service-meta': z.array(Target).optional(),
        status: z.array(Target).optional(),
      }),
    )
    .min(1),
})

/** `/.well-known/x402` of draft-hawkins-x402-dns-discovery-03: fields of a manifest of a resource server; others are ignored. */
export const X402Manifest = z.looseObject({
  x402Version: z.literal(2),
  kind: z.literal('resource-server'),
  name: z.string(),
  description: z.string(),
  docs: absolute,
  resources: z.array(
    z.looseObject({
      url: z.string().regex(/^https:\/\//),
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      description: z.string(),
      accepts: z.array(z.looseObject({})).min(1).optional(),
    }),
  ),
})

/** Authorization server metadata (RFC 8414 §2), what it requires and what MCP needs of it. */
export const ServerMetadata = z.looseObject({
  issuer: absolute,
  authorization_endpoint: absolute,
  token_endpoint: absolute,
  registration_endpoint: absolute,
  jwks_uri: absolute,
  response_types_supported: z.array(z.string()).min(1),
  code_challenge_methods_supported: z.array(z.string()).refine(methods => methods.includes('S256')),
})

type Section = { heading: string; links: { title: string; url: string; note: string }[] }

/** Reads an llms.txt as its reference parser does (llmstxt.org): H1, a quote, text without headings, then H2 with link lists. Throws. */
export const parseLlmsText = (text: string): { title: string; summary: string; sections: Section[] } => {
  const [head = '', ...rest] = text.split(/^## +/m)
  const [, title = '', summary = '', details = ''] = /^# (.+)\n\n> (.+)\n\n([\s\S]*)$/.exec(head) ?? []
  if (title === '' || /^#/m.test(details)) throw new Error('it does not begin as an llms.txt does')
  const sections = rest.map(part => {
    const [heading = '', ...lines] = part.split('\n')
    const links = lines.filter(Boolean).map(line => {
      const [, name = '', url = '', note = ''] =
        /^- \[((?:[^\]\\]|\\.)+)\]\(([^)\s]+)\)(?:: (.*))?$/.exec(line) ?? []
      if (name === '') throw new Error(`${heading}: "${line}" is no link`)
      return { title: name, url, note }
    })
    return { heading, links }
  })
  return { title, summary, sections }
}

/** Addresses of a sitemap (sitemaps.org 0.9): one urlset of url with loc, and nothing else. Throws. */
export const parseSitemap = (xml: string): string[] => {
  const [, body = ''] =
    /^<\?xml version="1.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www.sitemaps.org\/schemas\/sitemap\/0.9">\n([\s\S]*)<\/urlset>\n$/.exec(
      xml,
    ) ?? []
  const lines = body.split('\n').filter(Boolean)
  return lines.map(line => {
    const [, loc = ''] = /^<url><loc>([^<>\s]{12,2048})<\/loc><\/url>$/.exec(line) ?? []
    if (!URL.canParse(loc)) throw new Error(`"${line}" is no url of a sitemap`)
    return loc
  })
}
