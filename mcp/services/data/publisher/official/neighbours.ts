import { type PublisherRow, type Publishers, under } from '../publisher.ts'

const national = (country: string, rows: readonly PublisherRow[]) => under(country, 'national', rows)

/** Publishers of law in other European states. */
export const neighbours: Publishers = [
  ...national('FR', [
    ['legifrance.gouv.fr', 'legislation', 'Légifrance'],
    ['journal-officiel.gouv.fr', 'gazette', 'Journal officiel de la République française'],
    ['conseil-constitutionnel.fr', 'court', 'Constitutional Council of France'],
    ['conseil-etat.fr', 'court', 'Council of State of France'],
    ['courdecassation.fr', 'court', 'Court of Cassation of France'],
    ['assemblee-nationale.fr', 'parliament', 'National Assembly of France'],
    ['senat.fr', 'parliament', 'Senate of France'],
    ['service-public.fr', 'government', 'Service-Public, French administration'],
    ['cnil.fr', 'authority', 'Commission nationale de l’informatique et des libertés'],
    ['amf-france.org', 'authority', 'Autorité des marchés financiers'],
  ]),
  ...national('DE', [
    ['bund.de', 'government', 'German federal administration'],
    ['recht.bund.de', 'gazette', 'Bundesgesetzblatt, Federal Ministry of Justice'],
    ['gesetze-im-internet.de', 'legislation', 'Federal Ministry of Justice of Germany'],
    ['bgbl.de', 'gazette', 'Bundesgesetzblatt archive'],
    ['bundesgesetzblatt.de', 'gazette', 'Bundesgesetzblatt'],
    ['bundesanzeiger.de', 'gazette', 'Bundesanzeiger'],
    ['bundestag.de', 'parliament', 'German Bundestag'],
    ['dip.bundestag.de', 'parliament', 'Documents of the German Bundestag and Bundesrat'],
    ['bundesrat.de', 'parliament', 'German Bundesrat'],
    ['bundesregierung.de', 'government', 'German federal government'],
    ['bundesverfassungsgericht.de', 'court', 'Federal Constitutional Court of Germany'],
    ['bundesgerichtshof.de', 'court', 'Federal Court of Justice of Germany'],
    ['rechtsprechung-im-internet.de', 'court', 'Case law of the German federal courts'],
    ['handelsregister.de', 'register', 'Commercial register of the German states'],
    ['unternehmensregister.de', 'register', 'Company register of Germany'],
  ]),
  ...national('LU', [
    ['public.lu', 'government', 'Government of Luxembourg'],
    ['legilux.public.lu', 'legislation', 'Legilux, Journal officiel of Luxembourg'],
    ['chd.lu', 'parliament', 'Chamber of Deputies of Luxembourg'],
    ['cssf.lu', 'authority', 'Commission de Surveillance du Secteur Financier'],
    ['gouvernement.lu', 'government', 'Government of Luxembourg'],
  ]),
  ...national('AT', [
    ['ris.bka.gv.at', 'legislation', 'RIS, Federal Chancellery of Austria'],
    ['vfgh.gv.at', 'court', 'Constitutional Court of Austria'],
    ['parlament.gv.at', 'parliament', 'Parliament of Austria'],
  ]),
  ...national('IT', [
    ['normattiva.it', 'legislation', 'Normattiva'],
    ['gazzettaufficiale.it', 'gazette', 'Gazzetta Ufficiale della Repubblica Italiana'],
    ['cortecostituzionale.it', 'court', 'Constitutional Court of Italy'],
    ['senato.it', 'parliament', 'Senate of Italy'],
    ['camera.it', 'parliament', 'Chamber of Deputies of Italy'],
  ]),
  ...national('ES', [
    ['boe.es', 'gazette', 'Boletín Oficial del Estado'],
    ['tribunalconstitucional.es', 'court', 'Constitutional Court of Spain'],
    ['poderjudicial.es', 'court', 'Judiciary of Spain'],
    ['congreso.es', 'parliament', 'Congress of Deputies of Spain'],
  ]),
  ...national('PT', [
    ['diariodarepublica.pt', 'gazette', 'Diário da República'],
    ['dre.pt', 'gazette', 'Diário da República'],
    ['tribunalconstitucional.pt', 'court', 'Constitutional Court of Portugal'],
  ]),
  ...national('IE', [
    ['irishstatutebook.ie', 'legislation', 'Irish Statute Book'],
    ['oireachtas.ie', 'parliament', 'Houses of the Oireachtas'],
    ['courts.ie', 'court', 'Courts Service of Ireland'],
  ]),
  ...national('CH', [
    ['admin.ch', 'government', 'Swiss federal administration'],
    ['fedlex.admin.ch', 'legislation', 'Fedlex, Swiss Federal Chancellery'],
    ['bger.ch', 'court', 'Federal Supreme Court of Switzerland'],
    ['parlament.ch', 'parliament', 'Parliament of Switzerland'],
  ]),
]
