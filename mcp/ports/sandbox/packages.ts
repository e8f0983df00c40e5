import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A folder of packages beside those of the system, as `octagent sandbox install` makes it. */
export type Packages = { folder: string; modules: string; libraries: string }

/** Below /usr, where a run under Landlock sees it too. */
export const defaultFolder = '/usr/local/lib/octagent/python'

/** The packages in a folder; undefined where none were installed. */
export const findPackages = (folder: string): Packages | undefined => {
  const modules = join(folder, 'modules')
  return existsSync(modules) ? { folder, modules, libraries: join(folder, 'libraries') } : undefined
}
