"""Build description of humanoid_gait."""

from setuptools import find_packages, setup

PACKAGE = "humanoid_gait"

setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    install_requires=["setuptools"],
    extras_require={"test": ["hypothesis", "pytest"]},
    zip_safe=True,
    maintainer="Humanoid maintainers",
    maintainer_email="maintainers@example.org",
    description="How the robots walk: leg kinematics, primitives, splines, balance and motions.",
    license="Apache-2.0",
)
