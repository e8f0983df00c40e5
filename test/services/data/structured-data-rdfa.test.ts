import { describe, expect, test } from 'vitest'
import type { Format } from '../../../mcp/services/data/structured/item.ts'
import { readStructured } from '../../../mcp/services/data/structured/structured.ts'

const read = (html: string) => readStructured(html, 'http://example.com/a/b')

const dataIn = async (format: Format, html: string) =>
  (await read(html)).items.filter(item => item.format === format).map(({ data }) => data)

const rdfa = async (html: string) =>
  Object.fromEntries((await dataIn('rdfa', `<body>${html}`)).map(({ '@id': id, ...said }) => [id, said]))

const schema = (name: string) => `http://schema.org/${name}`
const page = 'http://example.com/a/b'

describe('RDFa', () => {
  test.each([
    ['text', '<b property="schema:p">a <i>b</i></b>', { '@value': 'a b' }],
    ['content', '<b property="schema:p" content=c>a</b>', { '@value': 'c' }],
    ['a language', '<b property="schema:p" lang=fr>a</b>', { '@value': 'a', '@language': 'fr' }],
    [
      'a datatype',
      '<b property="schema:p" datatype="xsd:date">2026-01-02</b>',
      { '@value': '2026-01-02', '@type': 'http://www.w3.org/2001/XMLSchema#date' },
    ],
    [
      'markup',
      '<b property="schema:p" datatype="rdf:HTML">a<i>b</i></b>',
      { '@value': 'a<i>b</i>', '@type': 'http://www.w3.org/1999/02/22-rdf-syntax-ns#HTML' },
    ],
    ['a link', '<a property="schema:p" href="../c">a</a>', { '@id': 'http://example.com/c' }],
    ['a resource', '<a property="schema:p" resource="#r" href="../c">a</a>', { '@id': `${page}#r` }],
    ['an image', '<img property="schema:p" src=i.png>', { '@id': 'http://example.com/a/i.png' }],
    ['a time', '<time property="schema:p" datetime="2026">now</time>', { '@value': '2026' }],
    ['a relation', '<a rel="schema:p" href="/c">a</a>', { '@id': 'http://example.com/c' }],
    ['a declared prefix', '<p prefix="x: http://schema.org/"><b property="x:p">a</b></p>', { '@value': 'a' }],
    [
      'a prefix declared as XML does',
      '<p xmlns:x="http://schema.org/"><b property="x:p">a</b></p>',
      { '@value': 'a' },
    ],
    ['a whole address as name', '<b property="http://schema.org/p">a</b>', { '@value': 'a' }],
  ])('gives %s', async (_, html, value) => {
    expect(await rdfa(html)).toEqual({ [page]: { [schema('p')]: [value] } })
  })

  test('knows a vocabulary that nothing uses', async () => {
    expect(await rdfa('<p><b vocab="http://schema.org/">x</b></p>')).toEqual({
      [page]: { 'http://www.w3.org/ns/rdfa#usesVocabulary': [{ '@id': 'http://schema.org/' }] },
    })
  })

  test('knows things by type, and things within things', async () => {
    const html = `<div vocab="http://schema.org/" typeof="Person Agent" resource="#ada"><span property=name>Ada</span>
      <p property=address typeof=PostalAddress><i property=city>Ghent</i></p></div>`
    const { [page]: vocabulary, [`${page}#ada`]: ada, ...rest } = await rdfa(html)
    const [[blank = '', address] = []] = Object.entries(rest)
    expect(vocabulary).toEqual({
      'http://www.w3.org/ns/rdfa#usesVocabulary': [{ '@id': 'http://schema.org/' }],
    })
    expect(ada).toEqual({
      '@type': [schema('Person'), schema('Agent')],
      [schema('name')]: [{ '@value': 'Ada' }],
      [schema('address')]: [{ '@id': blank }],
    })
    expect(address).toEqual({ '@type': [schema('PostalAddress')], [schema('city')]: [{ '@value': 'Ghent' }] })
  })

  test('completes a relation with what stands in it, in both directions', async () => {
    const html =
      '<div about="#a" rel="schema:knows" rev="schema:likes"><p><i about="#b"></i><i about="#c"></i></p></div>'
    expect(await rdfa(html)).toEqual({
      [`${page}#a`]: { [schema('knows')]: [{ '@id': `${page}#b` }, { '@id': `${page}#c` }] },
      [`${page}#b`]: { [schema('likes')]: [{ '@id': `${page}#a` }] },
      [`${page}#c`]: { [schema('likes')]: [{ '@id': `${page}#a` }] },
    })
  })

  test('keeps lists in order', async () => {
    const html =
      '<p about="#a"><i property="schema:p" inlist>1</i><i rel="schema:p" inlist resource="#r"></i></p>'
    expect(await rdfa(html)).toEqual({
      [`${page}#a`]: { [schema('p')]: [{ '@list': [{ '@value': '1' }, { '@id': `${page}#r` }] }] },
    })
  })

  test('takes words that mean nothing for nothing', async () => {
    expect(await rdfa('<a rel="nofollow" href=x>a</a><b property="nothing">b</b>')).toEqual({})
    expect(await rdfa('<a property="schema:p" rel="nofollow" href="/c">a</a>')).toEqual({
      [page]: { [schema('p')]: [{ '@id': 'http://example.com/c' }] },
    })
  })

  test('says a thing once, also where things lead in a circle', async () => {
    const html =
      '<p about="#a" rel="schema:p" resource="#b"></p><p about="#b" rel="schema:p" resource="#a"></p>'
    expect(await rdfa(html + html)).toEqual({
      [`${page}#a`]: { [schema('p')]: [{ '@id': `${page}#b` }] },
      [`${page}#b`]: { [schema('p')]: [{ '@id': `${page}#a` }] },
    })
  })
})

describe('tags in the head', () => {
  test('are OpenGraph with a known or a declared prefix', async () => {
    const html = `<html prefix="my: http://my.example.org/"><meta property="og:title" content="a"><meta property="my:x" content="b">
      <meta property="no:x" content="c"><meta name="og:x" content="d"><body><meta property="og:image" content="e">`
    expect(await dataIn('opengraph', html)).toEqual([
      {
        namespace: { og: 'http://ogp.me/ns#', my: 'http://my.example.org/' },
        properties: [
          ['og:title', 'a'],
          ['my:x', 'b'],
          ['og:image', 'e'],
        ],
      },
    ])
  })

  test('are Dublin Core by their prefix, or without one: elements, terms, and links', async () => {
    const html = `<link rel="schema.D" href="http://purl.org/dc/elements/1.1/"><meta name="D.title" content="a">
      <meta name="DC.date.issued" content="2026" scheme="W3CDTF"><meta name="dcterms:accessrights" content="open">
      <link rel="DCTERMS.license" href="/l"><meta name="description" content="plain"><meta name="DC.nothing" content="none">`
    expect(await dataIn('dublincore', html)).toEqual([
      {
        namespaces: { D: 'http://purl.org/dc/elements/1.1/' },
        elements: [
          { name: 'D.title', content: 'a', URI: 'http://purl.org/dc/elements/1.1/title' },
          { name: 'description', content: 'plain', URI: 'http://purl.org/dc/elements/1.1/description' },
        ],
        terms: [
          {
            name: 'DC.date.issued',
            content: '2026',
            scheme: 'W3CDTF',
            URI: 'http://purl.org/dc/terms/issued',
          },
          { name: 'dcterms:accessrights', content: 'open', URI: 'http://purl.org/dc/terms/accessRights' },
          { rel: 'DCTERMS.license', href: '/l', URI: 'http://purl.org/dc/terms/license' },
        ],
      },
    ])
  })
})
