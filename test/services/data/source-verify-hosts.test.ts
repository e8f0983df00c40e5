import { describe, expect, test } from 'vitest'
import { distance } from '../../../mcp/lib/text/distance.ts'
import { identifiersIn } from '../../../mcp/services/data/publisher/identifiers.ts'
import { lookalike } from '../../../mcp/services/data/publisher/lookalike.ts'
import { match, officialHosts } from '../../../mcp/services/data/publisher/match.ts'
import { judgePublisher } from '../../../mcp/services/data/publisher/verdict.ts'
import { toLiveness } from '../../../mcp/services/data/publisher/verify.ts'

describe('the list', () => {
  test.each([
    ['eur-lex.europa.eu', 'EU', 'legislation'],
    ['curia.europa.eu', 'EU', 'court'],
    ['some-new-agency.europa.eu', 'EU', 'government'],
    ['hudoc.echr.coe.int', null, 'court'],
    ['treaties.un.org', null, 'legislation'],
    ['www.ejustice.just.fgov.be', 'BE', 'gazette'],
    ['kbopub.economie.fgov.be', 'BE', 'register'],
    ['anything.fgov.be', 'BE', 'government'],
    ['juportal.be', 'BE', 'court'],
    ['codex.vlaanderen.be', 'BE', 'legislation'],
    ['wetten.overheid.nl', 'NL', 'legislation'],
    ['zoek.officielebekendmakingen.nl', 'NL', 'gazette'],
    ['uitspraken.rechtspraak.nl', 'NL', 'court'],
    ['www.legifrance.gouv.fr', 'FR', 'legislation'],
    ['www.recht.bund.de', 'DE', 'gazette'],
    ['legilux.public.lu', 'LU', 'legislation'],
    ['www.ris.bka.gv.at', 'AT', 'legislation'],
    ['www.legislation.gov.uk', 'GB', 'legislation'],
  ])('knows %s', (host, country, kind) => {
    expect(match(host)).toMatchObject({ official: true, matched_by: 'list', publisher: { country, kind } })
  })

  test('knows more than 200 hosts', () => expect(officialHosts().length).toBeGreaterThan(200))

  test.each([
    ['www.bailii.org', 'research'],
    ['nl.wikipedia.org', 'encyclopedia'],
    ['www.lexology.com', 'commercial'],
    ['dejure.org', 'commercial'],
    ['www.navigator.nl', 'commercial'],
    ['archive.ph', 'archive'],
    ['gdpr-info.eu', 'commercial'],
  ])('knows that %s is not official', (host, kind) => {
    expect(judgePublisher(`https://${host}/`)).toMatchObject({
      official: false,
      confidence: 'high',
      matched_by: 'list',
      publisher: { kind },
    })
  })

  test('has the web archive of the British state as official and as an archive', () => {
    const found = judgePublisher('https://webarchive.nationalarchives.gov.uk/ukgwa/2020/http://www.x.gov.uk/')
    expect(found).toMatchObject({ official: true, publisher: { kind: 'archive' } })
  })
})

describe('suffixes', () => {
  test.each([
    ['www.whitehouse.gov', 'US', 'government'],
    ['www.army.mil', 'US', 'military'],
    ['www.nato.int', null, 'international'],
    ['www.gov.uk', 'GB', 'government'],
    ['x.gob.mx', 'MX', 'government'],
    ['x.gov.ie', 'IE', 'government'],
    ['x.go.jp', 'JP', 'government'],
    ['x.gc.ca', 'CA', 'government'],
    ['x.govt.nz', 'NZ', 'government'],
    ['x.gv.at', 'AT', 'government'],
  ])('tell that %s is of a state', (host, country, kind) => {
    expect(match(host)).toMatchObject({
      official: true,
      matched_by: 'tld',
      publisher: { country, kind, name: null },
    })
  })

  test.each([
    'example.eu',
    'gov.de',
    'x.gov.nl',
    'gov.example.com',
    'fakegov.uk',
    'comune.go.it',
    'x.eu.com',
  ])('tell nothing of %s', host =>
    expect(match(host)).toMatchObject({ official: false, matched_by: 'none', publisher: null }),
  )

  test.each(['127.0.0.1', '93.184.216.34', '[2606:2800:220:1::34]'])(
    'tell nothing of the address %s',
    host => {
      expect(match(host).official).toBe(false)
      expect(lookalike(host)).toBeNull()
    },
  )
})

describe('look-alikes', () => {
  test.each([
    ['eur-lex.europa.eu.evil.com', 'eur-lex.europa.eu', 'embedded'],
    ['eur-lex-europa-eu.evil.com', 'eur-lex.europa.eu', 'embedded'],
    ['tax.service.gov.uk.refund.com', 'gov.uk', 'embedded'],
    ['login-overheid-nl.com', 'overheid.nl', 'embedded'],
    ['rechtspraak.com', 'rechtspraak.nl', 'other_suffix'],
    ['legifrance.com', 'legifrance.gouv.fr', 'other_suffix'],
    ['rechtspaak.nl', 'rechtspraak.nl', 'typo'],
    ['belastingdeinst.nl', 'belastingdienst.nl', 'typo'],
    ['be1astingdienst.nl', 'belastingdienst.nl', 'homoglyph'],
    ['tweedekarner.nl', 'tweedekamer.nl', 'homoglyph'],
    ['rechtsprаak.nl', 'rechtspraak.nl', 'homoglyph'],
    ['ԁnb.nl', 'dnb.nl', 'homoglyph'],
    ['éuropa.eu', 'europa.eu', 'homoglyph'],
  ])('%s is taken for %s', (host, of, how) => {
    const { hostname } = new URL(`https://${host}/`)
    expect(match(hostname).official).toBe(false)
    expect(lookalike(hostname)).toEqual({ of, how })
  })

  test.each([
    'example.com',
    'belgium.com',
    'europe.eu',
    'government.com',
    'dnb.no',
    'dnc.nl',
    'afm.com',
    'parlament.de',
    'publiclu.com',
    'notfgov.be',
    'evilrechtspraak-advies.nl',
  ])('%s is not', host => expect(lookalike(host)).toBeNull())

  test.each([
    ['ab', 'ba', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
    ['same', 'same', 0],
    ['ca', 'abc', 3],
    ['overheid', 'overhied', 1],
  ])('from %j to %j it is %i edits', (from, to, edits) => expect(distance(from, to, 5)).toBe(edits))

  test('edits are counted no further than asked', () => expect(distance('kitten', 'sitting', 2)).toBe(3))
})

describe('identifiers', () => {
  test.each([
    ['https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32016R0679', [['CELEX', '32016R0679']]],
    [
      'https://eur-lex.europa.eu/legal-content/NL/TXT/?uri=CELEX%3A02016R0679-20160504',
      [['CELEX', '02016R0679-20160504']],
    ],
    ['https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=celex:12012E/TXT', [['CELEX', '12012E/TXT']]],
    ['https://eur-lex.europa.eu/eli/dir/2019/790/oj/', [['ELI', 'eli/dir/2019/790/oj']]],
    [
      'https://www.ejustice.just.fgov.be/eli/loi/2018/07/30/2018040581/justel',
      [['ELI', 'eli/loi/2018/07/30/2018040581/justel']],
    ],
    [
      'https://www.ejustice.just.fgov.be/cgi_loi/change_lg.pl?language=fr&la=F&cn=1867060801&table_name=loi',
      [['NUMAC', '1867060801']],
    ],
    ['https://uitspraken.rechtspraak.nl/details?id=ecli:nl:hr:2019:2006', [['ECLI', 'ECLI:NL:HR:2019:2006']]],
    [
      'https://juportal.be/content/ECLI:BE:CASS:2020:ARR.20200108.2F.3/FR',
      [['ECLI', 'ECLI:BE:CASS:2020:ARR.20200108.2F.3']],
    ],
    ['https://wetten.overheid.nl/BWBR0001854/2024-01-01', [['BWB', 'BWBR0001854']]],
    ['https://zoek.officielebekendmakingen.nl/stb-2020-123.html', [['OB', 'stb-2020-123']]],
    ['https://www.legifrance.gouv.fr/codes/id/LEGITEXT000006070721/', [['LEGI', 'LEGITEXT000006070721']]],
    ['https://www.boe.es/buscar/act.php?id=BOE-A-1978-31229', [['BOE', 'BOE-A-1978-31229']]],
    ['https://example.com/32016R0679', []],
    ['https://example.com/delight/%E0%A4%A', []],
  ])('are read from %s', (url, found) => {
    expect(identifiersIn(url).map(({ scheme, id }) => [scheme, id])).toEqual(found)
  })
})

test.each([
  [200, 'Regulation', true],
  [204, null, true],
  [404, 'x', false],
  [410, null, false],
  [403, 'Forbidden', null],
  [503, null, null],
  [400, null, null],
  [200, 'Page not found', null],
  [200, 'Act 4041 on notaries', true],
])('a page with %i and the title %j is live: %j', (status, title, live) => {
  expect(toLiveness(status, title).live).toBe(live)
})

test('a wall is told apart from a fault', () => {
  expect(toLiveness(403, null).reason?.code).toBe('walled')
  expect(toLiveness(500, null).reason?.code).toBe('status_unclear')
})
