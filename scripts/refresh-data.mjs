// Writes the bundled data sets anew. `node scripts/refresh-data.mjs disposable|rdap [file]` takes the data from a file, or from
// where it is published; without a name both are fetched. See docs/data-sources.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const today = new Date().toISOString().slice(0, 10)

/** Words in lines of up to `width` characters. */
const wrapped = (words, width = 1800) => {
  const lines = []
  let line = ''
  for (const word of words) {
    if (line.length + word.length + 1 > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}

/** A table of facts, one record a line. */
const tableOf = (head, facts) => {
  const lines = Object.entries(head).map(
    ([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`,
  )
  const rows = facts.map(row => `    ${JSON.stringify(row, undefined, 1).replace(/\n\s*/g, ' ')}`)
  return `{\n${lines.join('')}  "facts": [\n${rows.join(',\n')}\n  ]\n}\n`
}

const sets = {
  disposable: {
    url: 'https://raw.githubusercontent.com/disposable-email-domains/disposable-email-domains/main/disposable_email_blocklist.conf',
    file: 'mcp/services/data/mailbox/data/disposable-domains.json',
    write(text) {
      const names = text.startsWith('[') ? JSON.parse(text) : text.split(/\s+/)
      const domains = [...new Set(names.map(name => name.trim().toLowerCase()))]
        .filter(name => /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(name))
        .sort()
      if (domains.length < 3000) throw new Error(`only ${domains.length} domains: this is not the list`)
      const source = 'github.com/disposable-email-domains/disposable-email-domains'
      return tableOf({ source, licence: 'CC0-1.0', taken: today }, wrapped(domains).split('\n'))
    },
  },
  rdap: {
    url: 'https://data.iana.org/rdap/dns.json',
    file: 'mcp/ports/rdap/data/servers.json',
    write(text) {
      const { services, publication = today } = JSON.parse(text)
      const groups = new Map()
      for (const [tlds, urls] of services) {
        const url = urls.find(one => one.startsWith('https:')) ?? urls[0]
        for (const tld of tlds) {
          const template = url.replace(new RegExp(`(?<=[./])${tld}(?=[./])`), '{tld}')
          groups.set(template, [...(groups.get(template) ?? []), tld])
        }
      }
      if (groups.size < 20) throw new Error(`only ${groups.size} servers: this is not the registry`)
      const rows = [...groups].sort().map(([server, tlds]) => ({ server, tlds: tlds.sort().join(' ') }))
      return tableOf(
        { source: 'data.iana.org/rdap/dns.json', licence: 'CC0-1.0', taken: publication.slice(0, 10) },
        rows,
      )
    },
  },
}

const load = async (url, file) => {
  if (file) return readFileSync(file, 'utf8')
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.text()
}

const [name, file] = process.argv.slice(2)
if (name && !sets[name]) throw new Error(`"${name}" is none of ${Object.keys(sets).join(', ')}`)
for (const [set, { url, file: target, write }] of Object.entries(sets)) {
  if (name && set !== name) continue
  writeFileSync(target, write(await load(url, name ? file : undefined)))
  console.log(`wrote ${target}`)
}
