import { isIP } from 'node:net'
import { ellipsize } from '../../mcp/lib/text/cut.ts'
import { takesKey } from '../connect.ts'
import { type Addresses, type Place, placeUrl, servicesOf, titleOf } from './place.ts'

/** The schema of `server.json` that is written here; registries keep a copy at its own address. */
const serverSchema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'

const maxTitle = 100
const maxDescription = 100

/** The first sentence of a text where that is short enough, else its beginning. */
const toSummary = (text: string): string => {
  const [sentence = text] = /^.*?\.(?= |$)/.exec(text) ?? []
  return ellipsize(sentence.length <= maxDescription ? sentence : text, maxDescription)
}

/**
 * The name of a place in registries of MCP servers: its domain turned around, and its path. What has no domain is `localhost`: such a
 * name can be listed nowhere but here.
 */
const serverName = (place: Place<Addresses>): string => {
  const { hostname, pathname } = new URL(placeUrl(place))
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  const namespace = isName ? hostname.split('.').reverse().join('.') : 'localhost'
  const path = pathname
    .split('/')
    .filter(Boolean)
    .join('.')
    .replace(/[^\w.-]/g, '-')
  return `${namespace}/${path || (place.service?.slug ?? 'octagent')}`
}

/** The entry of a place in a registry of MCP servers (`server.json`): one remote, over streamable HTTP. */
export const serverJson = (place: Place<Addresses>) => {
  const url = placeUrl(place)
  const { name, description } = titleOf(place)
  const isSecure = url.startsWith('https:')
  return {
    $schema: serverSchema,
    name: serverName(place),
    title: ellipsize(name, maxTitle),
    description: toSummary(description),
    version: place.service?.version ?? '1.0.0',
    websiteUrl: `${url}/`,
    // Icons at other addresses are not taken.
    ...(isSecure && {
      icons: [{ src: `${place.world.site.url}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
    }),
    remotes: [
      {
        type: 'streamable-http' as const,
        url: `${url}/mcp`,
        ...(servicesOf(place).some(takesKey) && {
          headers: [
            {
              name: 'Authorization',
              description: 'Bearer and the key of an account, for the tools that need one',
              isRequired: false,
              isSecret: true,
            },
          ],
        }),
      },
    ],
  }
}
