/** The words of the suite. */

import { readYaml } from '../../src/yaml.js';

export const WORDS = readYaml(new URL('texts.yaml', import.meta.url));
