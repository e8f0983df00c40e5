import { expect, test } from 'vitest'
import { startData } from '../../services/data/run.ts'
import { readHostilePages, readHostileZones } from '../hostile.ts'
import { report } from './report.ts'

const seed = Number(process.env.ATTACK_SEED ?? Date.now() % 2 ** 31)

test(`1,500 pages and 500 zones made to be misread, seed ${seed}`, async () => {
  const data = await startData()
  const pages = await readHostilePages(data, { count: 1500, seed })
  const zones = await readHostileZones(data, { count: 500, seed })
  report('hostile', { seed, pages: pages.codes, zones: zones.codes })
  await data.stop()
  expect([...pages.findings, ...zones.findings]).toEqual([])
})
