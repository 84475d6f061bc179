// Reads {headings, pages} as JSON from standard input, and writes what github-slugger and gray-matter make of them.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {pathToFileURL} from 'node:url';

const require = createRequire(process.argv[2] + '/package.json');
const inDocusaurus = createRequire(require.resolve('@docusaurus/utils/package.json'));
const matter = inDocusaurus('gray-matter');
const OldSlugger = inDocusaurus('github-slugger');
const newest = pathToFileURL(dirname(require.resolve('github-slugger')) + '/index.js').href;
const {default: NewSlugger} = await import(newest);

const {headings, pages} = JSON.parse(readFileSync(0, 'utf8'));

const slugs = (Slugger) => {
  const slugger = new Slugger();
  return headings.map((heading) => slugger.slug(heading));
};

const read = (page) => {
  try {
    const {data, content} = matter(page, {});  // With options nothing is taken from its cache.
    return {data, body: content.trim()};
  } catch (error) {
    return {error: String(error.message).split('\n')[0]};
  }
};

process.stdout.write(JSON.stringify({old: slugs(OldSlugger), new: slugs(NewSlugger), pages: pages.map(read)}));
