import { isDeepStrictEqual } from 'node:util'
import type { Child } from './child.ts'
import { type Ask, answerTo, load } from './load.ts'
import { median } from './median.ts'
import type { Measurement } from './row.ts'

const warmAnswers = 5000
const maxWarmMs = 20_000
const roundMs = 300
const rounds = 11

/** A server that takes part, and the request it gets. */
export type Runner = { readonly child: Child; readonly ask: Ask }

type Round = { micros: number; perSecond: number }

const toUrl = ({ child }: Runner): string => String(child.ready)

const round = async (runner: Runner): Promise<Round> => {
  const before = await runner.child.ask<number>('cpu')
  const { answers, seconds } = await load(toUrl(runner), runner.ask, roundMs)
  const after = await runner.child.ask<number>('cpu')
  return { micros: (after - before) / answers, perSecond: answers / seconds }
}

/** Loads a server until its code is compiled, which takes as many requests on a slow machine as on a fast one, not as much time. */
const warmUp = async (runner: Runner): Promise<void> => {
  const until = performance.now() + maxWarmMs
  for (let answers = 0; answers < warmAnswers && performance.now() < until; )
    answers += (await load(toUrl(runner), runner.ask, roundMs)).answers
}

const figures = (rounds: readonly Round[]): string => {
  const micros = median(rounds.map(round => round.micros))
  const perSecond = median(rounds.map(round => round.perSecond))
  return `${micros.toFixed(0)} µs of CPU, ${Math.round(perSecond).toLocaleString('en')}/s`
}

/**
 * Puts the same load on two servers in turn, in many short rounds. The value is the peer's processor time per request over
 * ours, the median over the rounds: the servers share two processors with the load, so that processor time is what tells
 * them apart. Throws unless `essence` of both answers is the same, because the work has to be.
 */
export const compare = async (
  ours: Runner,
  peer: Runner,
  essence: (body: string) => unknown,
): Promise<Measurement> => {
  const [mine, theirs] = [
    essence(await answerTo(toUrl(ours), ours.ask)),
    essence(await answerTo(toUrl(peer), peer.ask)),
  ]
  if (!isDeepStrictEqual(mine, theirs))
    throw new Error(`the answers differ: ${JSON.stringify(mine)} and ${JSON.stringify(theirs)}`)
  await warmUp(ours)
  await warmUp(peer)
  const pairs: { ours: Round; peer: Round }[] = []
  while (pairs.length < rounds) pairs.push({ ours: await round(ours), peer: await round(peer) })
  return {
    value: median(pairs.map(pair => pair.peer.micros / pair.ours.micros)),
    note: `ours ${figures(pairs.map(pair => pair.ours))}; peer ${figures(pairs.map(pair => pair.peer))}`,
  }
}

/** Compares two contestants that are started for it and stopped after it, whatever happens. */
export const contestBetween = async (
  opening: readonly [Promise<Child>, Promise<Child>],
  asks: readonly [Ask, Ask],
  essence: (body: string) => unknown,
): Promise<Measurement> => {
  try {
    const [ours, peer] = await Promise.all(opening)
    return await compare({ child: ours, ask: asks[0] }, { child: peer, ask: asks[1] }, essence)
  } finally {
    for (const one of await Promise.allSettled(opening))
      if (one.status === 'fulfilled') await one.value.stop()
  }
}
