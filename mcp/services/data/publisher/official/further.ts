import { type PublisherRow, type Publishers, under } from '../publisher.ts'

const national = (country: string, rows: readonly PublisherRow[]) => under(country, 'national', rows)

/** Publishers of law in states further away. */
export const further: Publishers = [
  ...national('GB', [
    ['legislation.gov.uk', 'legislation', 'legislation.gov.uk, The National Archives'],
    ['nationalarchives.gov.uk', 'government', 'The National Archives'],
    ['caselaw.nationalarchives.gov.uk', 'court', 'Find Case Law, The National Archives'],
    ['webarchive.nationalarchives.gov.uk', 'archive', 'UK Government Web Archive, The National Archives'],
    ['thegazette.co.uk', 'gazette', 'The Gazette'],
    ['parliament.uk', 'parliament', 'UK Parliament'],
    ['supremecourt.uk', 'court', 'Supreme Court of the United Kingdom'],
    ['judiciary.uk', 'court', 'Courts and Tribunals Judiciary'],
    ['bankofengland.co.uk', 'central-bank', 'Bank of England'],
    ['fca.org.uk', 'authority', 'Financial Conduct Authority'],
    ['ico.org.uk', 'authority', 'Information Commissioner’s Office'],
  ]),
  ...national('PL', [
    ['isap.sejm.gov.pl', 'legislation', 'ISAP, Sejm of Poland'],
    ['dziennikustaw.gov.pl', 'gazette', 'Dziennik Ustaw'],
    ['eli.gov.pl', 'legislation', 'European Legislation Identifier of Poland'],
  ]),
  ...national('SE', [
    ['riksdagen.se', 'parliament', 'Riksdag'],
    ['lagrummet.se', 'legislation', 'Lagrummet'],
    ['regeringen.se', 'government', 'Government of Sweden'],
    ['svenskforfattningssamling.se', 'gazette', 'Svensk författningssamling'],
    ['domstol.se', 'court', 'Courts of Sweden'],
  ]),
  ...national('DK', [
    ['retsinformation.dk', 'legislation', 'Retsinformation'],
    ['lovtidende.dk', 'gazette', 'Lovtidende'],
    ['ft.dk', 'parliament', 'Folketing'],
    ['domstol.dk', 'court', 'Courts of Denmark'],
  ]),
  ...national('FI', [
    ['finlex.fi', 'legislation', 'Finlex, Ministry of Justice of Finland'],
    ['eduskunta.fi', 'parliament', 'Parliament of Finland'],
  ]),
  ...national('NO', [
    ['lovdata.no', 'legislation', 'Lovdata, publisher of Norsk Lovtidend'],
    ['regjeringen.no', 'government', 'Government of Norway'],
    ['stortinget.no', 'parliament', 'Storting'],
  ]),
  ...national('EE', [
    ['riigiteataja.ee', 'gazette', 'Riigi Teataja'],
    ['riigikogu.ee', 'parliament', 'Riigikogu'],
  ]),
  ...national('LV', [
    ['likumi.lv', 'legislation', 'Likumi.lv, Latvijas Vēstnesis'],
    ['vestnesis.lv', 'gazette', 'Latvijas Vēstnesis'],
    ['saeima.lv', 'parliament', 'Saeima'],
  ]),
  ...national('LT', [
    ['e-tar.lt', 'gazette', 'Register of Legal Acts of Lithuania'],
    ['lrs.lt', 'parliament', 'Seimas of Lithuania'],
    ['lrv.lt', 'government', 'Government of Lithuania'],
  ]),
  ...national('CZ', [
    ['e-sbirka.cz', 'gazette', 'e-Sbírka'],
    ['psp.cz', 'parliament', 'Chamber of Deputies of Czechia'],
    ['justice.cz', 'court', 'Judiciary of Czechia'],
  ]),
  ...national('SK', [
    ['slov-lex.sk', 'legislation', 'Slov-Lex'],
    ['nrsr.sk', 'parliament', 'National Council of Slovakia'],
    ['gov.sk', 'government', 'Government of Slovakia'],
  ]),
  ...national('HU', [
    ['njt.hu', 'legislation', 'Nemzeti Jogszabálytár'],
    ['magyarkozlony.hu', 'gazette', 'Magyar Közlöny'],
    ['gov.hu', 'government', 'Government of Hungary'],
  ]),
  ...national('RO', [
    ['legislatie.just.ro', 'legislation', 'Ministry of Justice of Romania'],
    ['monitoruloficial.ro', 'gazette', 'Monitorul Oficial'],
    ['ccr.ro', 'court', 'Constitutional Court of Romania'],
    ['gov.ro', 'government', 'Government of Romania'],
  ]),
  ...national('BG', [['parliament.bg', 'parliament', 'National Assembly of Bulgaria, State Gazette']]),
  ...national('HR', [['nn.hr', 'gazette', 'Narodne novine']]),
  ...national('SI', [
    ['pisrs.si', 'legislation', 'Legal Information System of Slovenia'],
    ['uradni-list.si', 'gazette', 'Uradni list'],
    ['gov.si', 'government', 'Government of Slovenia'],
  ]),
  ...national('GR', [['et.gr', 'gazette', 'National Printing House of Greece']]),
  ...national('MT', [['legislation.mt', 'legislation', 'Laws of Malta']]),
  ...national('CA', [
    ['canada.ca', 'government', 'Government of Canada'],
    ['laws-lois.justice.gc.ca', 'legislation', 'Justice Laws Website of Canada'],
  ]),
]
