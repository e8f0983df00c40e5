import { toolFor } from '../../mcp/kernel/call-endpoint.ts'
import { costText } from '../../mcp/kernel/cost.ts'
import { isPlanned } from '../../mcp/kernel/service.ts'
import { takesKey } from '../connect.ts'
import { rangeText } from '../price.ts'
import { type DiscoveryDocument, type Place, placeUrl, servicesOf, titleOf } from './place.ts'

type Entry = { title: string; url: string; note: string }

/** Text between brackets, on one line. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[[\]]/g, '\\$&')

const section = (heading: string, entries: readonly Entry[]): string =>
  entries.length > 0
    ? `\n## ${heading}\n\n${entries.map(({ title, url, note }) => `- [${plain(title)}](${url}): ${plain(note)}\n`).join('')}`
    : ''

const serviceEntries = ({ world, services }: Place): Entry[] =>
  services.map(service => ({
    title: service.name,
    url: `${world.base(service)}/llms.txt`,
    note: `${service.description} ${isPlanned(service) ? 'Planned' : rangeText([...service.tools, ...(service.endpoints ?? []).map(toolFor)])}.`,
  }))

const toolEntries = (place: Place): Entry[] =>
  (place.service?.tools ?? []).map(tool => ({
    title: tool.name,
    url: `${placeUrl(place)}/tools/${tool.name}`,
    note: `${tool.description} Price: ${costText(tool)}.`,
  }))

const pageEntries = (place: Place): Entry[] =>
  (place.service?.documents ?? [])
    .filter(({ path }) => !path.includes(':'))
    .map(({ path, title, description }) => ({ title, url: placeUrl(place) + path, note: description }))

/** The index of a place for language models (llmstxt.org): what it is, how it is connected, and lists of links under headings. */
export const llmsText = (place: Place, documents: readonly DiscoveryDocument[]): string => {
  const { name, description } = titleOf(place)
  const url = placeUrl(place)
  const header = servicesOf(place).some(takesKey) ? ' --header "Authorization: Bearer $KEY"' : ''
  const entries = documents.map(({ path, title, purpose }) => ({ title, url: url + path, note: purpose }))
  return `# ${name}

> ${description}

Connect over MCP with \`claude mcp add --transport http ${place.service?.slug ?? 'octagent'} ${url}/mcp${header}\`.${place.service ? ` Every tool also answers a POST at its address with its input as JSON.` : ''}
${section('Services', place.service ? [] : serviceEntries(place))}${section('Tools', toolEntries(place))}${section('Pages', pageEntries(place))}${section('Documents', entries)}`
}
