/**
 * Imports point one way; docs/architecture.md shows it, and lists these rules.
 */
const PARTS = '^src/(agents|stacks|clients|load|faults|audit|measure|drivers)/';
/** What judges stored trials. It reads no server and no file. */
const JUDGING = '^src/audit/(judgement|losses|lost-steps|of-trials|outages)\\.js$';
const TESTS = '\\.test\\.js$|fixture\\.js$|/conformance';

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const forbid = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { ...from, pathNot: [TESTS, ...(from.pathNot ?? [])] },
  to,
});

module.exports = {
  forbidden: [
    forbid('no-cycles', 'Two modules that import each other cannot be read apart.', {}, { circular: true }),
    forbid(
      'src-knows-no-suite',
      'The engine reads suites from bench/index.js, in src/cli only.',
      { path: '^src/', pathNot: ['^src/cli/'] },
      { path: '^bench/' },
    ),
    forbid(
      'cli-reads-the-registry',
      'Commands reach suites through bench/index.js.',
      { path: '^src/cli/' },
      { path: '^bench/.+/' },
    ),
    forbid(
      'suites-stand-alone',
      'What several suites use is in bench/experiments, movers, pages, claims or workloads, or beside bench/modes.js. Exceptions: semi-sync repeats measurements of resources.',
      {
        path: '^bench/([^/]+)/',
        pathNot: ['^bench/semi-sync/', '^bench/movers/movers\\.js$'],
      },
      { path: '^bench/[^/]+/', pathNot: '^bench/($1|experiments|movers|pages|claims|workloads)/' },
    ),
    forbid(
      'suites-use-no-commands',
      'A suite is data and functions; the command line is above it.',
      { path: '^bench/' },
      { path: '^src/cli/' },
    ),
    forbid(
      'run-below-cli-and-pages',
      'A run knows nothing of commands and pages. Commands have its report written.',
      { path: '^src/run/' },
      { path: '^src/(cli|report)/' },
    ),
    forbid(
      'parts-below-run',
      'Stacks, clients, load, faults and audit serve a run, and know nothing of it.',
      { path: PARTS },
      { path: '^src/(cli|run|report)/' },
    ),
    forbid(
      'redis-knows-no-mariadb',
      'What the stacks of both systems use is in src/stacks/{hosts,network}.',
      { path: '^src/stacks/redis/' },
      { path: '^src/stacks/mariadb/' },
    ),
    forbid(
      'mariadb-knows-no-redis',
      'What the stacks of both systems use is in src/stacks/{hosts,network}.',
      { path: '^src/stacks/mariadb/' },
      { path: '^src/stacks/redis/' },
    ),
    forbid(
      'shared-machinery-knows-no-system',
      'Containers, processes and relays know the nodes of a system, and nothing else about it.',
      { path: '^src/stacks/(hosts/docker|hosts/local|network/relay)/' },
      { path: '^src/stacks/(redis|mariadb)/', pathNot: '/topology\\.js$' },
    ),
    forbid(
      'report-reads-results',
      'A report is made from result.json alone. What stored trials show, the judging files of src/audit say.',
      { path: '^src/report/' },
      {
        path: '^src/(agents|cli|run|stacks|clients|load|faults|audit|measure|drivers)/',
        pathNot: JUDGING,
      },
    ),
    forbid(
      'facts-import-no-page',
      'Facts are derived from result.json alone; pages, exports and checks are queries on them.',
      { path: '^src/facts/' },
      {
        path: '^src/(agents|cli|run|report|check|stacks|clients|load|faults|audit|measure|drivers)/',
        pathNot: JUDGING,
      },
    ),
    forbid(
      'judging-reads-results',
      'Code that judges stored trials computes from what is stored, and from nothing else.',
      { path: JUDGING },
      { path: '^src/', pathNot: ['^src/(result|stats)/', '^src/units\\.js$', JUDGING] },
    ),
    forbid(
      'check-only-reads',
      'It looks at deployments that nobody may disturb: nothing that loads or breaks one is within reach.',
      { path: '^src/check/' },
      { path: '^src/(agents|cli|run|load|faults|audit|measure|drivers)/' },
    ),
    forbid(
      'registry-is-data',
      'Reports read titles and styles there. Modules that need a library or a server are named by URL.',
      { path: '^src/registry/' },
      { path: '^(src|bench)/', pathNot: ['^src/registry/'] },
    ),
    forbid(
      'result-is-data',
      'The schema depends on statistics only.',
      { path: '^src/result/' },
      { path: '^src/(registry|cli|run|report|stacks|clients|load|faults|audit|measure|drivers)/' },
    ),
    forbid(
      'agents-above-load',
      'Load and faults run the same on one machine, without NATS.',
      { path: '^src/(stacks|clients|load|faults|audit|measure|drivers)/' },
      { path: '^src/agents/' },
    ),
    forbid(
      'stats-and-resp-at-the-bottom',
      'They import nothing of this project but each other.',
      { path: '^src/(stats|resp)/' },
      { path: '^src/(cli|run|report|result|stacks|clients|load|faults|audit|measure|drivers)/' },
    ),
    forbid(
      'examples-stand-alone',
      'People copy a file of examples/ into a project that has only the library.',
      { path: '^examples/' },
      { path: '^(src|bench|test|examples)/' },
    ),
    forbid(
      'examples-are-measured',
      'The program does not use its examples; the writers of trials show what they do.',
      { path: '^(src|bench)/', pathNot: ['^src/load/writers/example-writer\\.js$'] },
      { path: '^examples/' },
    ),
    forbid(
      'product-without-tests',
      'Tests and their helpers are not part of the program.',
      { path: '^(src|bench)/' },
      { path: '^test/|\\.test\\.js$' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(node_modules|results)/' },
    moduleSystems: ['es6'],
  },
};
