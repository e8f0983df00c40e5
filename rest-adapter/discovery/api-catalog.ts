import { type DiscoveryDocument, type Place, placeUrl } from './place.ts'

/** Media type of a catalogue, with the profile that says so (RFC 9727 §4.2). */
export const catalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

export const catalogPath = '/.well-known/api-catalog'

type Target = { href: string; type?: string; title?: string }

const linksOf = (place: Place, documents: readonly DiscoveryDocument[]): Record<string, Target[]> => {
  const links: Record<string, Target[]> = {}
  for (const { path, rel, type, title } of documents)
    links[rel] = [...(links[rel] ?? []), { href: placeUrl(place) + path, type, title }]
  return links
}

/** The APIs of an installation as a linkset (RFC 9727, RFC 9264): each service with its documents, and where its state is said. */
export const apiCatalog = (
  place: Place,
  documentsOf: (place: Place) => readonly DiscoveryDocument[],
): object => {
  const { world, services } = place
  const url = placeUrl(place)
  const status = [{ href: `${url}/readyz`, type: 'application/json' }]
  const apis = services.map(service => ({ ...place, service }))
  return {
    linkset: [
      {
        anchor: `${url}${catalogPath}`,
        item: services.map(service => ({ href: `${world.base(service)}/`, title: service.name })),
      },
      { anchor: `${url}/mcp`, ...linksOf(place, documentsOf(place)), status },
      ...apis.map(api => ({ anchor: `${placeUrl(api)}/`, ...linksOf(api, documentsOf(api)), status })),
    ],
  }
}
