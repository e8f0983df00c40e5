import { file, release } from '../file-name.ts'
import type { Fingerprints } from '../fingerprint.ts'

/** Styles and components. */
export const css: Fingerprints = {
  Bootstrap: {
    files: file('bootstrap'),
    weak: { marks: ['.navbar-toggler', '.container-fluid', '.col-md-6', '[data-bs-toggle]'] },
  },
  'Tailwind CSS': {
    hosts: ['cdn.tailwindcss.com'],
    files: release('tailwind(?:css)?'),
    markLike: /^\.(?:sm|md|lg|xl|2xl|dark|hover|focus):[a-z-]+(?:-[\w./[\]%-]+)?$/m,
  },
  Foundation: { files: release('foundation') },
  Bulma: { files: file('bulma') },
  Materialize: { files: release('materialize') },
  UIkit: { files: file('uikit'), marks: ['[uk-grid]', '.uk-container'] },
  'Semantic UI': { files: file('semantic(?:-ui)?') },
  MUI: {
    marks: ['.MuiButtonBase-root', '.MuiBox-root', '.MuiContainer-root', '.MuiTypography-root'],
    implies: ['React'],
  },
  'Ant Design': { marks: ['.ant-btn', '.ant-layout', '.ant-row'], files: file('antd'), implies: ['React'] },
  'Chakra UI': {
    marks: ['.chakra-ui-light', '.chakra-ui-dark', '.chakra-button', '.chakra-stack'],
    implies: ['React'],
  },
  'Radix UI': { markLike: /^\[data-radix-/m, implies: ['React'] },
  Mantine: { marks: ['[data-mantine-color-scheme]', '.mantine-Text-root'], implies: ['React'] },
  Vuetify: { marks: ['.v-application', '.v-application--wrap'], files: file('vuetify'), implies: ['Vue.js'] },
  'Element Plus': {
    files: /\/element-(?:ui|plus)[@/]/,
    weak: { marks: ['.el-button', '.el-row'] },
    implies: ['Vue.js'],
  },
  Quasar: { marks: ['.q-layout', '#q-app'], implies: ['Vue.js'] },
  Ionic: { marks: ['<ion-app>', '<ion-content>', '<ion-router-outlet>'] },
  'Angular Material': {
    marks: ['.mat-app-background', '.mat-typography', '<mat-icon>'],
    implies: ['Angular'],
  },
  'Material Design Lite': { hosts: ['code.getmdl.io'], marks: ['.mdl-layout'] },
  'Pure CSS': {
    files: /\/pure(?:css)?(?:-release-|@)(\d+\.\d+\.\d+)\//,
    weak: { files: /\/pure-min\.css$/, marks: ['.pure-g', '.pure-menu'] },
  },
  'Animate.css': { files: release('animate(?:\\.css)?') },
  'styled-components': {
    marks: ['[data-styled]', '[data-styled-version]'],
    attributes: { 'data-styled-version': /^([\d.]+)/ },
    implies: ['React'],
  },
  Emotion: { marks: ['[data-emotion]', '[data-emotion-css]'], implies: ['React'] },
  Shoelace: { marks: ['<sl-button>', '<sl-input>', '<sl-dialog>'] },
  'Pico CSS': { files: /\/pico(?:css)?[@/]|\/pico(?:\.classless)?(?:\.min)?\.css$/ },
}

/** Letters and signs. */
export const fonts: Fingerprints = {
  'Google Fonts': { hosts: ['fonts.googleapis.com', 'fonts.gstatic.com'] },
  'Adobe Fonts': { hosts: ['use.typekit.net', 'use.typekit.com', 'p.typekit.net'] },
  'Font Awesome': {
    hosts: ['use.fontawesome.com', 'kit.fontawesome.com', 'pro.fontawesome.com'],
    files: file('font-?awesome(?:-free)?'),
  },
  'Bunny Fonts': { hosts: ['fonts.bunny.net'] },
  'Monotype Fonts': { hosts: ['fast.fonts.net', 'fast.fonts.com'] },
  'Cloud.typography': { hosts: ['cloud.typography.com'] },
  Fontshare: { hosts: ['api.fontshare.com'] },
  'Bootstrap Icons': { files: file('bootstrap-icons') },
  Ionicons: { files: file('ionicons'), marks: ['<ion-icon>'] },
  Boxicons: { files: file('boxicons') },
}
