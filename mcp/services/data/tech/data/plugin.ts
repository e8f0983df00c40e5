import { any, type Fingerprints } from '../fingerprint.ts'

const wordpress = { implies: ['WordPress'] }

/** Extensions of content systems. */
export const plugin: Fingerprints = {
  Elementor: {
    generator: /^Elementor ([\d.]+)?/,
    paths: /\/wp-content\/plugins\/elementor\//,
    marks: ['.elementor-section', '[data-elementor-type]'],
    ...wordpress,
  },
  Divi: { paths: /\/wp-content\/themes\/Divi\//, marks: ['.et_pb_section'], ...wordpress },
  'WPBakery Page Builder': {
    generator: /^Powered by WPBakery/,
    paths: /\/wp-content\/plugins\/js_composer\//,
    ...wordpress,
  },
  'Yoast SEO': {
    marks: ['.yoast-schema-graph'],
    paths: /\/wp-content\/plugins\/wordpress-seo\//,
    ...wordpress,
  },
  'Rank Math': {
    marks: ['.rank-math-schema'],
    paths: /\/wp-content\/plugins\/seo-by-rank-math\//,
    ...wordpress,
  },
  'All in One SEO': {
    generator: /^All in One SEO(?: Pro)?(?: \(AIOSEO\))? ([\d.]+)?/,
    marks: ['.aioseo-schema'],
    ...wordpress,
  },
  'Contact Form 7': { paths: /\/wp-content\/plugins\/contact-form-7\//, marks: ['.wpcf7'], ...wordpress },
  'Gravity Forms': {
    paths: /\/wp-content\/plugins\/gravityforms\//,
    marks: ['.gform_wrapper'],
    ...wordpress,
  },
  'WP Rocket': {
    paths: /\/wp-content\/(?:cache\/min|plugins\/wp-rocket)\//,
    headers: { 'x-rocket-nginx-serving-static': any },
    ...wordpress,
  },
  'LiteSpeed Cache': { paths: /\/wp-content\/(?:plugins\/litespeed-cache|litespeed)\//, ...wordpress },
  Autoptimize: { paths: /\/wp-content\/cache\/autoptimize\//, ...wordpress },
  Jetpack: { paths: /\/wp-content\/plugins\/jetpack\//, hosts: ['stats.wp.com'], ...wordpress },
  WPML: {
    generator: /^WPML ver:([\d.]+)?/,
    paths: /\/wp-content\/plugins\/sitepress-multilingual-cms\//,
    ...wordpress,
  },
  'Slider Revolution': {
    generator: /^Powered by Slider Revolution ([\d.]+)?/,
    paths: /\/wp-content\/plugins\/revslider\//,
    ...wordpress,
  },
  'Site Kit': { generator: /^Site Kit by Google ([\d.]+)?/, ...wordpress },
  Astra: { paths: /\/wp-content\/themes\/astra\//, ...wordpress },
  GeneratePress: { paths: /\/wp-content\/themes\/generatepress\//, ...wordpress },
  Avada: { paths: /\/wp-content\/themes\/Avada\//, ...wordpress },
  Oxygen: { paths: /\/wp-content\/plugins\/oxygen\//, ...wordpress },
  'Beaver Builder': {
    paths: /\/wp-content\/plugins\/(?:bb-plugin|beaver-builder-lite-version)\//,
    marks: ['.fl-builder-content'],
    ...wordpress,
  },
}

/** Forums, courses and other places for many people. */
export const community: Fingerprints = {
  Discourse: {
    generator: /^Discourse ([\d.]+)?/,
    headers: { 'x-discourse-route': any },
    marks: ['#data-discourse-setup'],
    implies: ['Ruby on Rails'],
  },
  phpBB: { cookies: /^phpbb\d?_/, marks: ['#phpbb'], implies: ['PHP'] },
  vBulletin: {
    generator: /^vBulletin ?([\d.]+)?/,
    cookies: /^bb(?:lastactivity|lastvisit|sessionhash)$/,
    implies: ['PHP'],
  },
  XenForo: { cookies: /^xf_(?:session|csrf|user)$/, marks: ['#XF', '#XenForo'], implies: ['PHP'] },
  'Invision Community': { cookies: /^ips4_/, generator: /^Invision Community/, implies: ['PHP'] },
  Flarum: { cookies: /^flarum_session$/, marks: ['#flarum-loading', '#flarum-content'], implies: ['PHP'] },
  NodeBB: { headers: { 'x-powered-by': /^NodeBB$/i }, implies: ['Node.js'] },
  Vanilla: { headers: { 'x-powered-by': /^Vanilla$/i }, implies: ['PHP'] },
  Moodle: { cookies: /^MoodleSession/, inline: /\bM\.cfg\s*=\s*\{"wwwroot"/, implies: ['PHP'] },
  'Canvas LMS': {
    headers: { 'x-canvas-meta': any },
    cookies: /^_legacy_normandy_session$/,
    implies: ['Ruby on Rails'],
  },
  Mastodon: {
    headers: { server: /^Mastodon$/i },
    cookies: /^_mastodon_session$/,
    marks: ['#mastodon'],
    implies: ['Ruby on Rails'],
  },
  GitLab: { cookies: /^_gitlab_session$/, metas: { 'og:site_name': /^GitLab$/ }, implies: ['Ruby on Rails'] },
  Gitea: { cookies: /^i_like_gitea$/, implies: ['Go'] },
  Forgejo: { cookies: /^i_like_forgejo$/, implies: ['Go'] },
  Jira: { headers: { 'x-arequestid': any }, metas: { 'application-name': /^JIRA$/i }, implies: ['Java'] },
  Jenkins: { headers: { 'x-jenkins': /^([\d.]+)/ }, implies: ['Java'] },
  Grafana: { cookies: /^grafana_session$/, inline: /window\.grafanaBootData/ },
  Nextcloud: { cookies: /^nc_sameSiteCookie/, implies: ['PHP'] },
  Roundcube: { cookies: /^roundcube_sess(?:id|auth)$/, implies: ['PHP'] },
  phpMyAdmin: { cookies: /^phpMyAdmin(?:_https)?$|^pma_lang/, implies: ['PHP'] },
}
