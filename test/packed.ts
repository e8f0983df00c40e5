import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Packs the built package, declarations included, into a folder, and gives the path of the archive. */
export const packInto = (folder: string): string => {
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { stdio: 'ignore' })
  const name = readdirSync(folder).find(file => file.endsWith('.tgz'))
  if (!name) throw new Error('npm packed nothing')
  return join(folder, name)
}
