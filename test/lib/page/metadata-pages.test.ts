import { expect, test } from 'vitest'
import { metadata } from '../../../mcp/lib/page/metadata.ts'
import { parsePage } from '../../../mcp/lib/page/parse-page.ts'
import {
  labelledPages as firstPages,
  type LabelledPage,
  laterPages,
} from '../../services/data/metadata-pages.ts'

const labelledPages = [...firstPages, ...laterPages]

const read = async ({ html, url }: LabelledPage) => {
  const { document } = await parsePage(html)
  const page = await metadata.read({ document, url, status: 200, headers: {}, markup: html }, {})
  return { ...page, published: page.published_time, modified: page.modified_time }
}

const same = (field: string, label: string, value: string | null): boolean => {
  if (value === null) return false
  if (field === 'lang') return value.slice(0, 2).toLowerCase() === label.slice(0, 2).toLowerCase()
  if (field === 'published' || field === 'modified') return Date.parse(value) === Date.parse(label)
  return value === label
}

test('there are at least 60 labelled pages', () => {
  expect(labelledPages.length).toBeGreaterThanOrEqual(60)
  expect(new Set(labelledPages.map(({ name }) => name)).size).toBe(labelledPages.length)
})

test.each(labelledPages.map(page => [page.name, page] as const))('%s', async (_, page) => {
  const facts = await read(page)
  const wrong = Object.entries(page.truth).flatMap(([field, labels]) => {
    const value = facts[field as keyof typeof page.truth]
    return [labels].flat().some(label => same(field, label, value)) ? [] : [{ field, labels, value }]
  })
  expect(wrong).toEqual([])
})

test.each(['author', 'published', 'modified', 'publisher', 'site_name'] as const)(
  'no %s is made up where a page tells none',
  async field => {
    for (const page of labelledPages)
      if (page.truth[field] === undefined) expect((await read(page))[field]).toBeNull()
  },
)
