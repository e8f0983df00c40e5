import { StoreFailure } from '../index.ts'
import { type Census, type Content, compareCensus, takeCensus } from './content.ts'
import { markMoved, prepareFolder, readFolder, takeFolder } from './folder.ts'
import { openPostgresSource, preparePostgres } from './postgres.ts'

/** Place of a store: the folder of an embedded one, or a schema of PostgreSQL. `name` is how people are told of it, without a password. */
export type Place = { name: string } & ({ dir: string } | { url: string; schema: string })

/** Keeps the server that has a folder open from writing. */
export type Freeze = {
  /** Begins, or goes on for a while. Resolves to the last commit, when all are in the files. */
  hold(): Promise<number>
  /** Until the server ends. */
  holdForGood(): Promise<number>
}

export type MoveOptions = {
  from: Place
  to: Place
  /** For a folder that a server has open; without it the folder must be free. */
  freeze?: Freeze | undefined
  now?: Date
  /** Hears what is done next. */
  onStep?: (step: string) => void
}

type Source = { content: Content; markMoved(): Promise<void>; release(): Promise<void> }
type Target = {
  fill(content: Content): Promise<void>
  content(): Promise<Content>
  complete(): Promise<void>
  release(): Promise<void>
}

const holdMs = 5_000

/** Holds a server still until `end`. `commit` is the last one in its files; `check` throws where it may have written since. */
export const holdStill = async (freeze: Freeze) => {
  const commit = await freeze.hold()
  let lost: unknown
  const holding = setInterval(() => {
    freeze.hold().catch(error => {
      lost ??= error
    })
  }, holdMs)
  return {
    commit,
    check(): void {
      if (lost) throw lost
    },
    end: () => clearInterval(holding),
  }
}

const openFrozenFolder = async (dir: string, to: string, now: Date, freeze: Freeze): Promise<Source> => {
  const { commit: began, check, end } = await holdStill(freeze)
  try {
    const { content, commit, release } = await readFolder(dir, now)
    if (commit !== began) {
      await release()
      throw new StoreFailure(
        `${dir} reaches commit ${commit}, and the server says ${began}: is it another folder?`,
      )
    }
    return {
      content,
      markMoved: async () => {
        check()
        const ended = await freeze.holdForGood()
        if (ended !== began)
          throw new StoreFailure(
            'The server has written meanwhile: its writes were refused for too short a time.',
          )
        await markMoved(dir, to)
      },
      release: async () => {
        end()
        await release()
      },
    }
  } catch (error) {
    end()
    throw error
  }
}

const openFreeFolder = async (dir: string, to: string, now: Date): Promise<Source> => {
  const { release } = await takeFolder(dir)
  try {
    const { content, release: close } = await readFolder(dir, now)
    return {
      content,
      markMoved: () => markMoved(dir, to),
      release: async () => {
        await close()
        await release()
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}

const openSource = async ({ from, to, freeze }: MoveOptions, now: Date): Promise<Source> => {
  if ('dir' in from)
    return freeze ? openFrozenFolder(from.dir, to.name, now, freeze) : openFreeFolder(from.dir, to.name, now)
  const source = await openPostgresSource(from.url, from.schema, now)
  return { ...source, markMoved: () => source.markMoved(to.name) }
}

export const openTarget = async (
  { from, to }: Pick<MoveOptions, 'from' | 'to'>,
  now: Date,
): Promise<Target> => {
  if ('dir' in to) {
    const { dir } = to
    const target = await prepareFolder(dir, from.name)
    let close = async (): Promise<void> => undefined
    return {
      ...target,
      fill: content => target.fill(content, now),
      content: async () => {
        const { content, release } = await readFolder(dir, now)
        close = release
        return content
      },
      release: async () => {
        await close()
        await target.release()
      },
    }
  }
  const target = await preparePostgres(to.url, to.schema, from.name)
  return { ...target, content: async () => target.content(now) }
}

/**
 * Copies all that a store holds to an empty place, compares both by counts and digests, and only then notes at the source that it has
 * moved and at the target that it is whole. The source answers reads all the while and takes no writes; where this ends early it takes
 * them again, and no server starts on the target. Resolves to what was moved.
 */
export const moveStore = async (options: MoveOptions): Promise<Census> => {
  const { now = new Date(), onStep = () => undefined } = options
  onStep('refuse writes, and read')
  const source = await openSource(options, now)
  try {
    const target = await openTarget(options, now)
    try {
      onStep('copy')
      await target.fill(source.content)
      onStep('compare')
      const census = await takeCensus(source.content)
      const differences = compareCensus(census, await takeCensus(await target.content()))
      if (differences.length > 0)
        throw new StoreFailure(`The copy is not the same: ${differences.join('; ')}`)
      await source.markMoved()
      await target.complete()
      return census
    } finally {
      await target.release()
    }
  } finally {
    await source.release()
  }
}
