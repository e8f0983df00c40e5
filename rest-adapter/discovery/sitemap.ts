import { escapeHtml } from '../../mcp/lib/text/html.ts'
import { type Place, placeUrl } from './place.ts'

const pagesOf = (place: Place): string[] =>
  ['/', ...(place.service?.documents ?? []).map(({ path }) => path)]
    .filter(path => !path.includes(':'))
    .map(path => placeUrl(place) + path)

/** The pages of a place as a sitemap (sitemaps.org, version 0.9); a site lists its services that are at its own host. */
export const sitemap = (place: Place): string => {
  const { service, services } = place
  const { host } = new URL(placeUrl(place))
  const places = service ? [] : services.map(each => ({ ...place, service: each }))
  const pages = [place, ...places].flatMap(pagesOf).concat(service ? [] : [`${placeUrl(place)}/problems`])
  const urls = pages
    .filter(page => new URL(page).host === host)
    .map(page => `<url><loc>${escapeHtml(page)}</loc></url>\n`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('')}</urlset>
`
}
