// Writes what the tools of each service list, as JSON Schema: the program reads a list when it is first asked for, and need not
// convert some nine thousand schemas at its start. Whatever a start refuses of a declaration is refused here, and so is a table of
// facts that does not fit its schema.
import { mkdirSync, writeFileSync } from 'node:fs'

export const writeLists = async (dist, folder) => {
  const { services } = await import(`${dist}/services.js`)
  const { compileService } = await import(`${dist}/mcp/server/compile.js`)
  const { checkFactTables } = await import(`${dist}/mcp/lib/facts.js`)
  checkFactTables()
  mkdirSync(folder, { recursive: true })
  for (const service of services) {
    const listed = compileService(service).map(entry => entry.listed)
    writeFileSync(`${folder}/${service.slug}.json`, JSON.stringify(listed))
  }
}
