import type { Fingerprints } from '../fingerprint.ts'

/** Tools that write the pages beforehand. */
export const staticSite: Fingerprints = {
  Hugo: { generator: /^Hugo ([\d.]+)?/ },
  Jekyll: { generator: /^Jekyll v?([\d.]+)?/ },
  Eleventy: { generator: /^Eleventy v?([\d.]+)?/ },
  Hexo: { generator: /^Hexo ?([\d.]+)?/, implies: ['Node.js'] },
  Docusaurus: {
    generator: /^Docusaurus v?([\d.]+)?/,
    marks: ['#__docusaurus', '[data-docusaurus]'],
    implies: ['React'],
  },
  VuePress: { generator: /^VuePress ?([\d.]+)?/, implies: ['Vue.js'] },
  VitePress: {
    generator: /^VitePress v?([\d.]+)?/,
    marks: ['#VPContent', '.VPContent'],
    implies: ['Vue.js'],
  },
  MkDocs: { generator: /^mkdocs-([\d.]+)?/, implies: ['Python'] },
  Sphinx: {
    files: /\/_static\/(?:documentation_options|doctools|sphinx_highlight)\.js/,
    implies: ['Python'],
  },
  GitBook: { generator: /^GitBook/ },
  Mintlify: { generator: /^Mintlify/, implies: ['Next.js'] },
  Docsify: { inline: /window\.\$docsify/ },
  Pelican: { generator: /^Pelican/, implies: ['Python'] },
  Zola: { generator: /^Zola/ },
  Nikola: { generator: /^Nikola/, implies: ['Python'] },
  Gridsome: { generator: /^Gridsome v?([\d.]+)?/, implies: ['Vue.js'] },
  Middleman: { generator: /^Middleman/, implies: ['Ruby'] },
  Nextra: { marks: ['.nextra-nav-container', '.nextra-content'], implies: ['Next.js'] },
  Starlight: { generator: /^Starlight v?([\d.]+)?/, implies: ['Astro'] },
  Storybook: { marks: ['#storybook-root', '#storybook-preview-wrapper'] },
  Quarto: { generator: /^quarto-([\d.]+)?/ },
  mdBook: {
    weak: {
      files: /\/elasticlunr(?:-[0-9a-f]+)?(?:\.min)?\.js/,
      marks: ['#mdbook-help-container', '#sidebar-toggle'],
    },
  },
}
