// When a login has ended, one dialog asks for another. The page behind it stays as it was.

import type { User } from '@pilothouse/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useUser } from '../api/use-user.ts';
import { Dialog } from '../ui/dialog.tsx';
import { isLeaving } from './log-out.ts';
import { LoginForm } from './login-form.tsx';

export function LoginLost() {
  const user = useUser();
  const cache = useQueryClient();
  const router = useRouter();
  const [last, setLast] = useState<User | undefined>(user);
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    if (!user) return setLost(true);
    setLost(false);
    setLast(user);
    if (!last || !isLost) return;
    if (user.id === last.id) return void cache.invalidateQueries();
    // Another person, here or in another tab: nothing of the first may stay in sight.
    cache.clear();
    void router.navigate({ to: '/' });
  }, [user, last, isLost, cache, router]);
  if (!last) return null;

  return (
    <Dialog
      isOpen={!user && !isLeaving()}
      title="Log in again"
      text="Your login has ended. What is on this page stays as it is."
    >
      <LoginForm name={last.username} />
    </Dialog>
  );
}
