import { expect, test } from 'vitest'
import { opened } from '../opened.ts'
import { startData } from '../services/data/run.ts'
import { readHostilePages, readHostileZones } from './hostile.ts'

const data = opened(startData)

test('80 pages made to be misread are read, or refused in words', async () => {
  const { findings, codes } = await readHostilePages(data, { count: 80, seed: 1 })
  expect(findings).toEqual([])
  expect(codes.ok).toBeGreaterThan(30)
})

test('60 zones made to be misread are read, or refused in words', async () => {
  const { findings, codes } = await readHostileZones(data, { count: 60, seed: 1 })
  expect(findings).toEqual([])
  expect(codes.ok).toBeGreaterThan(20)
})
