import { type PublisherRow, under } from './publisher.ts'

const archives: readonly PublisherRow[] = [
  ['archive.org', 'archive', 'Internet Archive'],
  ['archive.today', 'archive', 'archive.today'],
  ['archive.ph', 'archive', 'archive.today'],
  ['archive.is', 'archive', 'archive.today'],
  ['archive.li', 'archive', 'archive.today'],
  ['archive.md', 'archive', 'archive.today'],
  ['archive.vn', 'archive', 'archive.today'],
  ['perma.cc', 'archive', 'Perma.cc'],
  ['webcache.googleusercontent.com', 'archive', 'Google cache'],
  ['mementoweb.org', 'archive', 'Memento'],
  ['arquivo.pt', 'archive', 'Arquivo.pt'],
  ['ghostarchive.org', 'archive', 'Ghostarchive'],
]

const reference: readonly PublisherRow[] = [
  ['wikipedia.org', 'encyclopedia', 'Wikipedia'],
  ['wikisource.org', 'encyclopedia', 'Wikisource'],
  ['wikimedia.org', 'encyclopedia', 'Wikimedia'],
  ['bailii.org', 'research', 'British and Irish Legal Information Institute'],
  ['worldlii.org', 'research', 'World Legal Information Institute'],
  ['canlii.org', 'research', 'Canadian Legal Information Institute'],
  ['cylaw.org', 'research', 'Cyprus Bar Association'],
  ['law.cornell.edu', 'research', 'Legal Information Institute, Cornell Law School'],
]

const commercial: readonly PublisherRow[] = [
  ['lexology.com', 'commercial', 'Lexology'],
  ['dejure.org', 'commercial', 'dejure.org'],
  ['buzer.de', 'commercial', 'buzer.de'],
  ['juris.de', 'commercial', 'juris'],
  ['beck.de', 'commercial', 'C.H. Beck'],
  ['openjur.de', 'commercial', 'openJur'],
  ['jusline.at', 'commercial', 'JUSLINE'],
  ['navigator.nl', 'commercial', 'Wolters Kluwer'],
  ['inview.nl', 'commercial', 'Wolters Kluwer'],
  ['jura.be', 'commercial', 'Wolters Kluwer'],
  ['monkey.be', 'commercial', 'Wolters Kluwer'],
  ['wolterskluwer.com', 'commercial', 'Wolters Kluwer'],
  ['stradalex.com', 'commercial', 'Larcier-Intersentia'],
  ['stradalex.eu', 'commercial', 'Larcier-Intersentia'],
  ['larcier-intersentia.com', 'commercial', 'Larcier-Intersentia'],
  ['legalintelligence.com', 'commercial', 'Legal Intelligence'],
  ['rechtsorde.nl', 'commercial', 'Rechtsorde'],
  ['maxius.nl', 'commercial', 'Maxius'],
  ['droitbelge.be', 'commercial', 'droitbelge.be'],
  ['doctrine.fr', 'commercial', 'Doctrine'],
  ['dalloz.fr', 'commercial', 'Dalloz'],
  ['lexis360.fr', 'commercial', 'LexisNexis'],
  ['lexisnexis.com', 'commercial', 'LexisNexis'],
  ['westlaw.com', 'commercial', 'Westlaw'],
  ['justia.com', 'commercial', 'Justia'],
  ['casetext.com', 'commercial', 'Casetext'],
  ['findlaw.com', 'commercial', 'FindLaw'],
  ['vlex.com', 'commercial', 'vLex'],
  ['zakonyprolidi.cz', 'commercial', 'Zákony pro lidi'],
  ['gdpr-info.eu', 'commercial', 'gdpr-info.eu'],
  ['gdpr.eu', 'commercial', 'gdpr.eu'],
  ['privacy-regulation.eu', 'commercial', 'privacy-regulation.eu'],
]

/** Well-known places that show law and are not its publisher. */
export const unofficial = under(null, null, [...archives, ...reference, ...commercial])
