import { execFile } from 'node:child_process'
import { mkdtemp, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const root = resolve(import.meta.dirname, '../..')

/** Compiles a program of this folder with what it imports, into a new folder. Returns the path of its JavaScript. */
export const compiled = async (program: string): Promise<{ folder: string; path: string }> => {
  const folder = await mkdtemp(join(tmpdir(), 'octagent-program-'))
  const project = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: root,
      outDir: join(folder, 'out'),
      typeRoots: [join(root, 'node_modules/@types')],
    },
    files: [join(import.meta.dirname, `${program}.ts`)],
    include: [join(root, 'mcp/**/*.d.ts')],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder])
  return { folder, path: join(folder, 'out/test/store', `${program}.js`) }
}
