/**
 * The colours of charts.
 *
 * The eight colours of series differ from each other by at least 15 (CIEDE2000), also for people who do not tell red from green or
 * blue from yellow. Their contrast to the background is at least 3:1 (WCAG 2.1, 1.4.11). palettes.test.js measures both.
 */

/** The colours that series have, by name. */
export const SERIES = Object.freeze(['grey', 'sky', 'blue', 'orange', 'red', 'green', 'purple', 'olive']);

export const PALETTES = Object.freeze({
  light: {
    background: '#ffffff',
    ink: '#1f2328',
    muted: '#59636e',
    line: '#d1d9e0',
    /** Bands behind lines. */
    unavailable: '#77081f26',
    splitBrain: '#b0841040',
    /** Area below a line: writes that were acknowledged and later lost. */
    lost: '#77081f8c',
    good: '#24775a',
    bad: '#77081f',
    /** Squares of a heat map with text in ink: none, then from little to much. */
    none: '#c8ddd6',
    little: '#f4ebed',
    some: '#e1c9ce',
    more: '#cea6ae',
    much: '#bb848f',
    /** Everything was lost, with text in `onAll`. */
    all: '#77081f',
    onAll: '#ffffff',
    grey: '#868b97',
    sky: '#4f91f9',
    blue: '#1d1081',
    orange: '#b08410',
    red: '#77081f',
    green: '#24775a',
    purple: '#77548d',
    olive: '#3d5106',
  },
  dark: {
    background: '#0d1117',
    ink: '#f0f6fc',
    muted: '#9198a1',
    line: '#3d444d',
    unavailable: '#c32e2040',
    splitBrain: '#f4a00e33',
    lost: '#f0665a99',
    good: '#50986c',
    bad: '#f0665a',
    none: '#1e332c',
    little: '#2e1619',
    some: '#4f1b1a',
    more: '#73211c',
    much: '#9f281e',
    all: '#f0665a',
    onAll: '#0d1117',
    grey: '#a4a9ae',
    sky: '#93ccff',
    blue: '#0854f1',
    orange: '#f4a00e',
    red: '#c32e20',
    green: '#50986c',
    purple: '#985c7f',
    olive: '#eee6b9',
  },
});
