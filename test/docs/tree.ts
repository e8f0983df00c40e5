import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { transformSync } from 'rolldown/utils'
import type { Block } from './document.ts'

const run = promisify(execFile)

const tsc = 'node_modules/typescript/bin/tsc'

/** One test file, as the runner's JSON has it. */
export type TestResult = { name: string; assertionResults: { fullName: string; status: string }[] }

const isSource = (path: string): boolean =>
  !['node_modules', 'dist', '.git', '.octagent', 'coverage'].includes(basename(path))

/** The lines of a diff that stand in the file before it, or after it. */
const side = (text: string, sign: '-' | '+'): string =>
  text
    .split(/(?<=\n)/)
    .filter(line => line.startsWith(' ') || line.startsWith(sign) || line === '\n')
    .map(line => (line === '\n' ? line : line.slice(1)))
    .join('')

const applyDiff = (before: string, { text, place, path }: Block): string => {
  const old = side(text, '-')
  const parts = before.split(old)
  if (parts.length !== 2)
    throw new Error(
      `${place} does not fit: ${path} has these lines ${parts.length - 1} times, and must have them once.\n${old}`,
    )
  return parts.join(side(text, '+'))
}

/** A copy of the sources in a temporary folder, with the packages that are installed here. */
export const copyTree = () => {
  const dir = mkdtempSync(join(tmpdir(), 'octagent-docs-'))
  cpSync('.', dir, { recursive: true, filter: isSource, preserveTimestamps: true })
  symlinkSync(resolve('node_modules'), join(dir, 'node_modules'))
  return {
    dir,
    /** Does what a step says: a whole file that is new, or lines of one that is there. */
    apply(block: Block & { path: string }): void {
      // The packages are a link to those of this folder, where an installation from here must never go.
      if (/^package(-lock)?\.json$/.test(block.path)) throw new Error(`${block.place} changes the packages`)
      const file = join(dir, block.path)
      const isDiff = block.language === 'diff'
      if (!isDiff && existsSync(file))
        throw new Error(`${block.place} writes over ${block.path}, which is there`)
      if (isDiff && !existsSync(file))
        throw new Error(`${block.place} changes ${block.path}, which is not there`)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, isDiff ? applyDiff(readFileSync(file, 'utf8'), block) : block.text)
    },
    /**
     * Writes what these files are without their types into the build of the sources, and checks their types, against the declarations of
     * all that they import; rejects with what the compiler says.
     */
    async build(written: readonly string[]): Promise<void> {
      cpSync('dist', join(dir, 'dist'), {
        recursive: true,
        filter: path => !/^dist.(program|types)$/.test(path),
      })
      for (const path of ['main.ts', ...written]) {
        if (path.startsWith('test/')) continue
        const { code } = transformSync(path, readFileSync(join(dir, path), 'utf8'), {
          typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: 'rewrite' },
        })
        const file = join(dir, 'dist', path.replace(/\.ts$/, '.js'))
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, code)
      }
      const types = mkdtempSync(join(tmpdir(), 'octagent-docs-types-'))
      try {
        cpSync('node_modules/.cache/octagent-types', types, { recursive: true })
        cpSync(join(dir, 'test'), join(types, 'test'), { recursive: true })
        cpSync('package.json', join(types, 'package.json'))
        symlinkSync(resolve('node_modules'), join(types, 'node_modules'))
        for (const path of written) {
          mkdirSync(dirname(join(types, path)), { recursive: true })
          cpSync(join(dir, path), join(types, path))
        }
        const check = {
          extends: join(dir, 'tsconfig.json'),
          include: [join(dir, 'mcp/**/*.d.ts')],
          files: written,
          compilerOptions: { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true },
        }
        writeFileSync(join(types, 'tsconfig.json'), JSON.stringify(check))
        await run(process.execPath, [tsc, '-p', types]).catch(({ stdout, stderr }) => {
          throw new Error(`${stdout}${stderr}`)
        })
      } finally {
        rmSync(types, { recursive: true, force: true })
      }
    },
    /** Formats and lints what was written, as `npm run check` does; rejects with what is wrong. */
    async lint(written: readonly string[]): Promise<void> {
      const biome = 'node_modules/@biomejs/biome/bin/biome'
      await run(process.execPath, [biome, 'check', ...written], { cwd: dir }).catch(({ stdout, stderr }) => {
        throw new Error(`${stdout}${stderr}`)
      })
    },
    /** Runs these test files, or their tests of these names; gives what the runner says of each file. */
    async test(files: readonly string[], result: string, pattern?: string): Promise<TestResult[]> {
      if (files.length === 0) return []
      const vitest = 'node_modules/vitest/vitest.mjs'
      const runner = [vitest, 'run', '--config', 'test/docs/tree.config.ts', '--root', '.']
      const names = pattern === undefined ? [] : ['-t', pattern]
      const args = [...runner, '--reporter=json', `--outputFile=${result}`, ...files, ...names]
      // A failed test is told by the result.
      await run(process.execPath, args, { cwd: dir, maxBuffer: 64 << 20 }).catch(() => undefined)
      return JSON.parse(readFileSync(result, 'utf8')).testResults
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
