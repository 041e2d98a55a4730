export function LoginPage() {
  return <main>LoginPage</main>;
}
