// Prints the Homebrew formula of a packed version: node scripts/homebrew-formula.js idport-0.1.0.tgz > idport.rb
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [tarball] = process.argv.slice(2);
const { version, description, license, repository } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
const homepage = repository?.url?.replace(/^git\+/, '').replace(/\.git$/, '');
if (tarball === undefined || homepage === undefined) {
  process.stderr.write(
    'error: give the packed file, and set repository.url in package.json as the release does\n',
  );
  process.exitCode = 2;
} else {
  const sha256 = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  process.stdout.write(`class Idport < Formula
  desc ${rubyString(description.split(',')[0])}
  homepage ${rubyString(homepage)}
  url "https://registry.npmjs.org/idport/-/idport-${version}.tgz"
  sha256 "${sha256}"
  license ${rubyString(license)}

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec/"lib/node_modules/idport/man/idport.1"
    generate_completions_from_executable(bin/"idport", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/idport --version")
    system bin/"idport", "demo"
  end
end
`);
}

/** Quotes a text for Ruby, which would read `#{...}` as code. */
function rubyString(text) {
  return JSON.stringify(text).replaceAll('#', '\\#');
}
