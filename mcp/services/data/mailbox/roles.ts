const words = (text: string): string[] => text.trim().split(/\s+/)

/** Mailbox names that stand for a task, not for a person. */
const roles: Readonly<Record<string, readonly string[]>> = {
  // RFC 2142
  business: words('info marketing sales support'),
  network: words('abuse noc security'),
  services: words('postmaster hostmaster usenet news webmaster www uucp ftp mailer-daemon mailerdaemon'),
  lists: words('list list-request majordomo listserv subscribe unsubscribe'),
  contact: words(
    'contact contacts contactus contact-us hello hi hey office mail email inbox enquiries enquiry inquiries inquiry ask reception frontdesk general team',
  ),
  help: words(
    'help helpdesk help-desk service services customerservice customer-service customercare customer-care customers cs support-team feedback complaints questions faq',
  ),
  money: words(
    'accounting accounts accountspayable accounts-payable ap ar billing invoice invoices invoicing payment payments payroll finance treasury tax orders order refunds purchasing procurement',
  ),
  people: words(
    'hr humanresources human-resources jobs job careers career recruiting recruitment recruiter talent hiring resume resumes',
  ),
  press: words(
    'press media pr publicrelations newsletter newsletters editor editorial blog events event community social partners partner partnerships advertising ads',
  ),
  trade: words(
    'booking bookings reservations reservation shop store wholesale export import logistics shipping returns warehouse dispatch',
  ),
  law: words('legal privacy dpo gdpr compliance copyright dmca dataprotection data-protection'),
  machines: words(
    'admin administrator root sysadmin system systems it itsupport it-support tech technical techsupport operations ops devops dev developers engineering dns domains hosting network netops soc cert csirt monitoring alerts alert notifications notification notify noreply no-reply donotreply do-not-reply bounce bounces daemon nobody test testing spam phishing report reports backup cron ssl dmarc api',
  ),
  chiefs: words(
    'ceo cfo cto coo cio cmo ciso board director directors management president chairman secretary',
  ),
  everybody: words('all everyone staff employees students faculty alumni members crew'),
  german: words(
    'kontakt buero vertrieb verkauf einkauf buchhaltung rechnung bewerbung presse datenschutz kundenservice zentrale verwaltung sekretariat',
  ),
  french: words('commercial comptabilite facturation recrutement accueil secretariat direction'),
  spanish: words('contacto ventas soporte administracion facturacion informacion compras recepcion'),
  italian: words('contatti commerciale amministrazione segreteria assistenza vendite'),
  portuguese: words('contato vendas financeiro suporte atendimento comercial'),
  others: words('kontor biuro sprzedaz verkoop klantenservice administratie'),
}

const roleNames = new Set(Object.values(roles).flat())

/** The role that a mailbox name stands for, without its `+tag`; null for a person's. */
export const findRole = (local: string): string | null => {
  const name = local.toLowerCase().replace(/(?<=.)\+.*$/s, '')
  return roleNames.has(name) ? name : null
}
