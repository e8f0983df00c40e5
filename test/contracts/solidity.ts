import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The files below `contracts/` whose names end so. */
export const solidityFiles = (ending: string): string[] =>
  readdirSync('contracts', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith(ending))
    .map(file => join('contracts', file))
