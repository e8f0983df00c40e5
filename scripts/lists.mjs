// Writes what the tools of each service list, as JSON Schema: the program reads a list when it is first asked for, and need not
// convert some nine thousand schemas at its start. Whatever a start refuses of a declaration is refused here, and so is a table of
// facts that does not fit its schema.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** Modules that declare a table of facts: some are loaded only when somebody asks for them. */
const importTables = async folder => {
  const files = readdirSync(folder, { recursive: true }).filter(file => file.endsWith('.js'))
  for (const file of files)
    if (readFileSync(`${folder}/${file}`, 'utf8').includes('= factTable(')) await import(`${folder}/${file}`)
}

export const writeLists = async (dist, folder) => {
  const { services } = await import(`${dist}/app/services.js`)
  const { compileService } = await import(`${dist}/mcp/server/compile.js`)
  const { checkFactTables } = await import(`${dist}/mcp/lib/facts.js`)
  await importTables(`${dist}/mcp`)
  checkFactTables()
  mkdirSync(folder, { recursive: true })
  for (const service of services) {
    const listed = compileService(service).map(entry => entry.listed)
    writeFileSync(`${folder}/${service.slug}.json`, JSON.stringify(listed))
  }
}
